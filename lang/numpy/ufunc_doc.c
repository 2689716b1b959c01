/* Docstrings of ufuncs (numpydoc), composed on demand: the rows of op.def and
 * ufunc_doc.def, and the sections that all ufuncs share. */
#include "lang/numpy/numpy.h"

static const struct {
    const char *notes, *examples;
} rows[OP_COUNT] = {
#define DOC(id, notes_, examples_) [OP_##id] = {notes_, examples_},
#include "lang/numpy/ufunc_doc.def"
#undef DOC
};

static const char keywords[] =
    "out : ndarray, optional\n"
    "    Array that receives the result and is returned.\n"
    "where : array_like of bool, default: True\n"
    "    Elements to compute. The others keep the values of `out`; without it they are\n"
    "    undefined.\n"
    "casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, default: 'same_kind'\n"
    "    Casting rule for operands and result.\n"
    "order : {'K', 'A', 'C', 'F'}, default: 'K'\n"
    "    Memory layout of the result.\n"
    "dtype : dtype, optional\n"
    "    Data type of the computation and the result.\n"
    "subok : bool, default: True\n"
    "    Ignored: there are no subclasses.\n"
    "signature : str or tuple of dtypes, optional\n"
    "    Data types of operands and result: \"dd->d\".\n";

static const char raises[] =
    "TypeError\n"
    "    If the ufunc is not defined for the dtypes, or `casting` does not allow a cast.\n"
    "ValueError\n"
    "    If the shapes do not broadcast.\n";

static void put_heading(gpa_str *out, const char *heading) {
    str_printf(out, "\n%s\n", heading);
    str_fill(out, '-', strlen(heading));
    str_putc(out, '\n');
}

void ufunc_doc(gpa_op op, gpa_str *out) {
    static const char *const operands[] = {
        "", "x : array_like\n    Operand.\n",
        "x1, x2 : array_like\n    Operands, broadcast against each other.\n",
        "x1, x2, x3 : array_like\n    Operands, broadcast against each other.\n"};
    const gpa_op_info *row = &op_info[op];
    str_printf(out, "%s\n", row->doc);
    if (!rows[op].examples) return;
    put_heading(out, "Parameters");
    str_printf(out, "%s%s", operands[row->arity], keywords);
    put_heading(out, "Returns");
    str_put(out, "ndarray or scalar\n    The result; a scalar if all operands are scalars.\n");
    put_heading(out, "Raises");
    str_put(out, raises);
    put_heading(out, "Notes");
    str_printf(out, "Dtypes: %s.\n", op_sig_docs[row->sig]);
    if (*rows[op].notes) str_printf(out, "%s\n", rows[op].notes);
    if (row->symbol) str_printf(out, "The operator ``%s`` calls this ufunc.\n", row->symbol);
    put_heading(out, "Examples");
    str_put(out, rows[op].examples);
}
