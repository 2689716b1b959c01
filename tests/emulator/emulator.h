/* The interface between the emulator (launch.c, in C) and the programs that it runs (generated CUDA
 * C after device.h, in C++). */
#ifndef GPA_TESTS_EMULATOR_H
#define GPA_TESTS_EMULATOR_H

enum { EMULATOR_SHARED = 232448, EMULATOR_SLOT = 32 };

/* The barrier that a thread waits at. */
typedef enum { EMULATOR_BLOCK = 1, EMULATOR_WARP } emulator_wait;

typedef struct {
    unsigned x, y, z;
} emulator_dim;

/* State of a thread. `exchanges` counts the exchanges of its whole warp: consecutive ones use
 * different slots. `mask`: the lanes of the warp that it waits for. */
typedef struct {
    emulator_dim thread, block, block_size, grid_size;
    int lane;
    unsigned exchanges, mask;
} emulator_thread;

typedef struct {
    emulator_thread *now;             /* the running thread */
    void (*wait)(emulator_wait whom); /* until all threads of the block, or lanes of the mask, that
                                         have not ended wait too */
    int (*count)(int yes); /* likewise for the block: of how many of its threads `yes` is 1 */
    unsigned char *(*slot)(
        int lane,
        int which); /* of EMULATOR_SLOT bytes, three a lane, in the running thread's warp */
    unsigned (*lanes)(void);  /* those of the warp that have not ended */
    unsigned (*givers)(void); /* and those that have ended since they took part in the whole warp's
                                 latest exchange */
} emulator;

/* Functions of a module: `emulator_enter_NAME` runs the thread e->now of kernel NAME;
 * `emulator_sizes_NAME` returns the sizes of its parameters, ended by 0; `emulator_begin` fills
 * shared memory (`dynamic` bytes of it dynamic) with garbage before a block starts. */
typedef void emulator_enter_fn(const emulator *e, void **args);
typedef const size_t *emulator_sizes_fn(void);
typedef void emulator_begin_fn(unsigned dynamic);

#endif
