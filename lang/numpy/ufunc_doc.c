/* The docstrings of ufuncs, put together when they are asked for. */
#include "lang/numpy/numpy.h"

static const struct {
    const char *notes, *examples;
} rows[OP_COUNT] = {
#define DOC(id, notes_, examples_) [OP_##id] = {notes_, examples_},
#include "lang/numpy/ufunc_doc.def"
#undef DOC
};

static const char shared[] =
    "out: an array that takes the result, and is returned. where: a bool array; elements where it "
    "is false are not computed and "
    "keep\nwhat out holds (without out they are undefined). dtype: that of the result. casting: "
    "what conversions that and out "
    "may ask for:\n'no', 'equiv', 'safe', 'same_kind' or 'unsafe'. signature: the dtypes of "
    "operands and result, as letters (\"dd->d\") or a tuple\n"
    "of dtypes and None. order: \"F\" for a result that lies by columns. subok: without effect.\n"
    "Raises TypeError for operands of other kinds and for conversions that casting does not allow, "
    "ValueError for shapes\n"
    "that do not broadcast.";

void ufunc_doc(gpa_op op, gpa_str *out) {
    static const char *const operands[] = {
        "", "x: an array or a number.", "x1, x2: arrays or numbers, broadcast against each other.",
        "x1, x2, x3: arrays or numbers, broadcast against each other."};
    const gpa_op_info *row = &op_info[op];
    str_put(out, row->doc);
    if (!rows[op].examples) return;
    str_printf(out, "\n\n%s Gives an array of the same shape, a number for numbers.\n",
               operands[row->arity]);
    str_printf(out, "dtypes: %s.", op_sig_docs[row->sig]);
    if (row->symbol) str_printf(out, " The operator %s does the same.", row->symbol);
    if (*rows[op].notes) str_printf(out, "\n%s", rows[op].notes);
    str_printf(out, "\n\n%s\n\n%s", shared, rows[op].examples);
}
