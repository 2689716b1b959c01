"""The programs of the gradient benchmark under JAX's names. The file runs in gpa, with gpa's module jax, and in CPython, with JAX:

    gpa --device cuda tests/bench/gradient_programs.py [--small] [--tf32] [ROW ...]
    python3 tests/bench/gradient_programs.py ...

prints for each row its name, the milliseconds of the first call, a number to compare between engines, and milliseconds per call
of each measurement. Only the wave equation is written twice: with stores into slices for gpa, with lax.scan for JAX."""
import math
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np

IS_GPA = "(gpa " in sys.version
SMALL, TF32 = "--small" in sys.argv, "--tf32" in sys.argv
WORDS = [w for w in sys.argv[1:] if not w.startswith("--")]
TRIES, WARM_SECONDS, SECONDS = 7, 2.0, 0.2


def uniform(*shape):
    """Numbers between 0 and 1 that every engine makes alike."""
    n = math.prod(shape)
    return jnp.asarray((np.arange(n, dtype=np.int64) * 7919 % 104729 / 104729).astype(np.float32).reshape(shape))


def weights(*shape):
    return (uniform(*shape) - 0.5) * (3.4 / shape[0] ** 0.5)


# ---- Black-Scholes: the price of options and its derivatives ----


def price(spot, strike, years, rate, volatility):
    root = volatility * jnp.sqrt(years)
    d1 = (jnp.log(spot / strike) + (rate + volatility**2 / 2) * years) / root
    cdf = jax.scipy.stats.norm.cdf
    return spot * cdf(d1) - strike * jnp.exp(-rate * years) * cdf(d1 - root)


def greeks():
    n = 10**5 if SMALL else 5 * 10**7
    u = uniform(n)
    options = 50 + 100 * u, 60 + 70 * u, 0.25 + 2 * u
    total = jax.jit(jax.value_and_grad(lambda s, x, t: price(s, x, t, 0.02, 0.3).sum(), (0, 1, 2)))
    return lambda: total(*options)


# ---- networks ----


def descend(params, gradients):
    return jax.tree_util.tree_map(lambda p, g: p - 0.01 * g, params, gradients)


def training(loss, params, *data):
    """Steps of gradient descent, each from the parameters that the last one left."""
    @jax.jit
    def step(params, *data):
        value, gradients = jax.value_and_grad(loss)(params, *data)
        return value, descend(params, gradients)

    state = [params]

    def work():
        value, state[0] = step(state[0], *data)
        return value, state[0]

    return work


def cross_entropy(logits, labels):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], -1))


def mlp():
    sizes, batch = [784, 1024, 1024, 10], 64 if SMALL else 1024
    params = [(weights(m, n), jnp.zeros(n)) for m, n in zip(sizes[:-1], sizes[1:])]
    labels = jnp.asarray(np.arange(batch, dtype=np.int32) * 7 % 10)

    def loss(params, x, labels):
        for w, b in params[:-1]:
            x = jax.nn.relu(x @ w + b)
        w, b = params[-1]
        return cross_entropy(x @ w + b, labels)

    return training(loss, params, uniform(batch, 784), labels)


def logistic():
    n = 20000 if SMALL else 2 * 10**6
    x = uniform(n, 32)
    y = (x[:, 0] > 0.5).astype(jnp.float32)

    def loss(params, x, y):
        w, b = params
        z = x @ w + b
        return jnp.mean(jnp.logaddexp(0.0, z) - y * z)

    return training(loss, (jnp.zeros(32), jnp.zeros(())), x, y)


# ---- the wave equation ----


def laplacian(u):
    return u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]


def wave():
    n, steps = (64, 20) if SMALL else (512, 500)
    speed, start, data = 0.1 + 0.1 * uniform(n, n), uniform(n, n), jnp.zeros((n, n))
    if IS_GPA:
        return wave_of_stores(np.asarray(speed), np.asarray(start), np.asarray(data), steps)

    def misfit(speed, start, data):
        def step(carry, _):
            before, u = carry
            after = (2 * u - before).at[1:-1, 1:-1].add(speed[1:-1, 1:-1] * laplacian(u))
            return (u, after), None

        (_, u), _ = jax.lax.scan(step, (start, start), None, length=steps)
        return ((u - data) ** 2).sum()

    both = jax.jit(jax.value_and_grad(misfit))
    return lambda: both(speed, start, data)


def wave_of_stores(speed, start, data, steps):
    from autograd import value_and_grad

    def misfit(speed):
        before = u = start
        for _ in range(steps):
            after = 2 * u - before
            after[1:-1, 1:-1] += speed[1:-1, 1:-1] * laplacian(u)
            before, u = u, after
        return ((u - data) ** 2).sum()

    both = value_and_grad(misfit)
    return lambda: both(speed)


# ---- a character transformer ----


def transformer():
    layers, width, heads, context, batch = (2, 48, 3, 32, 4) if SMALL else (6, 384, 6, 256, 64)
    letters = 65
    text = jnp.asarray(np.arange(batch * (context + 1), dtype=np.int32).reshape(batch, context + 1) ** 2 % letters)
    params = {
        "letters": weights(letters, width), "places": weights(context, width),
        "blocks": [{"qkv": weights(width, 3 * width), "out": weights(width, width), "up": weights(width, 4 * width),
                    "down": weights(4 * width, width), "scale": jnp.ones((2, width)), "shift": jnp.zeros((2, width))} for _ in range(layers)],
        "scale": jnp.ones(width), "shift": jnp.zeros(width),
    }

    def normalized(x, scale, shift):
        centred = x - x.mean(-1, keepdims=True)
        return centred * jax.lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * scale + shift

    def attention(x, p):
        q, k, v = [a.reshape(batch, context, heads, width // heads).transpose(0, 2, 1, 3) for a in jnp.split(x @ p["qkv"], 3, axis=-1)]
        scores = (q @ k.transpose(0, 1, 3, 2)) * (width // heads) ** -0.5
        past = jnp.arange(context)[:, None] >= jnp.arange(context)
        probabilities = jax.nn.softmax(jnp.where(past, scores, -1e30), axis=-1)
        return (probabilities @ v).transpose(0, 2, 1, 3).reshape(batch, context, width) @ p["out"]

    def loss(params, text):
        x = params["letters"][text[:, :-1]] + params["places"]
        for p in params["blocks"]:
            x = x + attention(normalized(x, p["scale"][0], p["shift"][0]), p)
            x = x + jax.nn.gelu(normalized(x, p["scale"][1], p["shift"][1]) @ p["up"]) @ p["down"]
        logits = normalized(x, params["scale"], params["shift"]) @ params["letters"].T
        return cross_entropy(logits, text[:, 1:])

    return training(loss, params, text)


ROWS = {
    "Black-Scholes Greeks 5e7": greeks,
    "MLP 784-1024-1024-10, batch 1024": mlp,
    "logistic regression 2e6 x 32": logistic,
    "wave misfit 512x512, 500 steps": wave,
    "transformer 6 x 384, 64 x 256": transformer,
}


def total(result):
    """The value, and the norm of the gradients or parameters: equal up to rounding in all engines."""
    leaves = jax.tree_util.tree_leaves(result)
    return float(leaves[0]), float(sum(jnp.sum(jnp.asarray(leaf, jnp.float32) ** 2) for leaf in leaves[1:])) ** 0.5


def wait(result):
    if IS_GPA:
        from numba.cuda import synchronize
        synchronize()
    else:
        jax.block_until_ready(result)


def measure(name, make):
    work = make()
    begun = time.perf_counter()
    result = work()
    wait(result)
    first = time.perf_counter() - begun
    value, norm = total(result)
    until = time.perf_counter() + (0 if SMALL else WARM_SECONDS)  # programs of gpa are interpreted until they are compiled
    once = first
    while time.perf_counter() < until:
        begun = time.perf_counter()
        wait(work())
        once = time.perf_counter() - begun
    calls = max(1, min(200, int(SECONDS / once)))
    times = []
    for _ in range(1 if SMALL else TRIES):
        begun = time.perf_counter()
        for _ in range(calls):
            result = work()
        wait(result)
        times.append((time.perf_counter() - begun) / calls * 1e3)
    print(name, first * 1e3, value, norm, *times, sep="\t", flush=True)


if __name__ == "__main__":
    if not IS_GPA:  # gpa multiplies float32 numbers as such
        jax.config.update("jax_default_matmul_precision", "tensorfloat32" if TF32 else "float32")
    for name, make in ROWS.items():
        if not WORDS or any(w in name for w in WORDS):
            try:
                measure(name, make)
            except Exception as e:
                print(f"# {name}: {type(e).__name__} {str(e)[:150]!r}", flush=True)
