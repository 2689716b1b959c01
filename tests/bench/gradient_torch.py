"""The programs of the gradient benchmark (gradient_programs.py) in PyTorch, compiled by torch.compile:

    python3 tests/bench/gradient_torch.py [--small] [--tf32] [ROW ...]"""
import math
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F

SMALL, TF32 = "--small" in sys.argv, "--tf32" in sys.argv
WORDS = [w for w in sys.argv[1:] if not w.startswith("--")]
TRIES, WARM_SECONDS, SECONDS = 7, 1.0, 0.2
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def put(a):
    return torch.from_numpy(a).to(DEVICE)


def uniform(*shape):
    n = math.prod(shape)
    return put((np.arange(n, dtype=np.int64) * 7919 % 104729 / 104729).astype(np.float32).reshape(shape))


def weights(*shape):
    return (uniform(*shape) - 0.5) * (3.4 / shape[0] ** 0.5)


def gradients_of(loss, inputs):
    """A function that returns the value of `loss`, compiled, and its gradients."""
    compiled = torch.compile(loss)
    for a in inputs:
        a.requires_grad_()

    def both(*data):
        value = compiled(inputs, *data)
        return value.detach(), torch.autograd.grad(value, inputs)

    return both


def training(loss, inputs, *data):
    inputs = [a.contiguous() for a in inputs]
    both = gradients_of(loss, inputs)

    def work():
        value, gradients = both(*data)
        with torch.no_grad():
            torch._foreach_add_(inputs, gradients, alpha=-0.01)
        return value, inputs

    return work


def price(options, rate=0.02, volatility=0.3):
    spot, strike, years = options
    root = volatility * torch.sqrt(years)
    d1 = (torch.log(spot / strike) + (rate + volatility**2 / 2) * years) / root
    cdf = torch.special.ndtr
    return (spot * cdf(d1) - strike * torch.exp(-rate * years) * cdf(d1 - root)).sum()


def greeks():
    u = uniform(10**5 if SMALL else 5 * 10**7)
    both = gradients_of(price, [50 + 100 * u, 60 + 70 * u, 0.25 + 2 * u])
    return both


def mlp():
    sizes, batch = [784, 1024, 1024, 10], 64 if SMALL else 1024
    params = [a for m, n in zip(sizes[:-1], sizes[1:]) for a in (weights(m, n), torch.zeros(n, device=DEVICE))]
    labels = put(np.arange(batch, dtype=np.int64) * 7 % 10)

    def loss(params, x, labels):
        for k in range(0, 4, 2):
            x = F.relu(x @ params[k] + params[k + 1])
        return F.cross_entropy(x @ params[4] + params[5], labels)

    return training(loss, params, uniform(batch, 784), labels)


def logistic():
    x = uniform(20000 if SMALL else 2 * 10**6, 32)

    def loss(params, x, y):
        z = x @ params[0] + params[1]
        return (F.softplus(z) - y * z).mean()

    return training(loss, [torch.zeros(32, device=DEVICE), torch.zeros((), device=DEVICE)], x, (x[:, 0] > 0.5).float())


def wave():
    n, steps = (64, 20) if SMALL else (512, 500)
    start, data = uniform(n, n), torch.zeros((n, n), device=DEVICE)

    @torch.compile
    def step(before, u, speed):
        inner = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
        return 2 * u - before + F.pad(speed[1:-1, 1:-1] * inner, (1, 1, 1, 1))

    speed = (0.1 + 0.1 * uniform(n, n)).requires_grad_()

    def work():
        before = u = start
        for _ in range(steps):
            before, u = u, step(before, u, speed)
        value = ((u - data) ** 2).sum()
        return value.detach(), torch.autograd.grad(value, [speed])

    return work


def transformer():
    layers, width, heads, context, batch = (2, 48, 3, 32, 4) if SMALL else (6, 384, 6, 256, 64)
    letters = 65
    text = put((np.arange(batch * (context + 1), dtype=np.int32).reshape(batch, context + 1) ** 2 % letters).astype(np.int64))
    params = [weights(letters, width), weights(context, width), torch.ones(width, device=DEVICE), torch.zeros(width, device=DEVICE)]
    for _ in range(layers):
        params += [weights(width, 3 * width), weights(width, width), weights(width, 4 * width), weights(4 * width, width),
                   torch.ones((2, width), device=DEVICE), torch.zeros((2, width), device=DEVICE)]

    def loss(params, text):
        x = params[0][text[:, :-1]] + params[1]
        for k in range(4, len(params), 6):
            qkv, out, up, down, scale, shift = params[k : k + 6]
            y = F.layer_norm(x, (width,), scale[0], shift[0], 1e-5)
            q, k_, v = [a.reshape(batch, context, heads, width // heads).transpose(1, 2) for a in (y @ qkv).split(width, -1)]
            y = F.scaled_dot_product_attention(q, k_, v, is_causal=True)
            x = x + y.transpose(1, 2).reshape(batch, context, width) @ out
            y = F.layer_norm(x, (width,), scale[1], shift[1], 1e-5)
            x = x + F.gelu(y @ up, approximate="tanh") @ down
        logits = F.layer_norm(x, (width,), params[2], params[3], 1e-5) @ params[0].T
        return F.cross_entropy(logits.reshape(-1, letters), text[:, 1:].reshape(-1))

    return training(loss, params, text)


ROWS = {
    "Black-Scholes Greeks 5e7": greeks,
    "MLP 784-1024-1024-10, batch 1024": mlp,
    "logistic regression 2e6 x 32": logistic,
    "wave misfit 512x512, 500 steps": wave,
    "transformer 6 x 384, 64 x 256": transformer,
}


def wait():
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def measure(name, make):
    work = make()
    begun = time.perf_counter()
    value, more = work()
    wait()
    first = time.perf_counter() - begun
    norm = float(sum((a.detach() ** 2).sum() for a in more)) ** 0.5
    until = time.perf_counter() + (0 if SMALL else WARM_SECONDS)
    once = first
    while time.perf_counter() < until:
        begun = time.perf_counter()
        work()
        wait()
        once = time.perf_counter() - begun
    calls = max(1, min(200, int(SECONDS / once)))
    times = []
    for _ in range(1 if SMALL else TRIES):
        begun = time.perf_counter()
        for _ in range(calls):
            work()
        wait()
        times.append((time.perf_counter() - begun) / calls * 1e3)
    print(name, first * 1e3, float(value), norm, *times, sep="\t", flush=True)


if __name__ == "__main__":
    torch.backends.cuda.matmul.allow_tf32 = TF32
    for name, make in ROWS.items():
        if not WORDS or any(w in name for w in WORDS):
            try:
                measure(name, make)
            except Exception as e:
                print(f"# {name}: {type(e).__name__} {str(e)[:150]!r}", flush=True)
