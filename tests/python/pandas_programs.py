# Programs of users of pandas: gpa with CPython's pandas must print what CPython prints.
# --- a frame of arrays (module pandas)
import pandas as pd
rng = np.random.default_rng(0)
x = np.linspace(0, 1, 6)
df = pd.DataFrame({"x": x, "square": x**2, "name": list("abcdef")})
print(df)
print(df.dtypes, df.shape, len(df), list(df.columns), df.index)
print(df["x"].to_numpy() * 2, np.asarray(df["square"]).sum())
# --- selection by masks, labels and positions (module pandas)
import pandas as pd
df = pd.DataFrame(np.arange(20.0).reshape(5, 4), index=list("vwxyz"), columns=list("ABCD"))
print(df[df["A"] > 4])
print(df.loc["w":"y", ["B", "D"]])
print(df.iloc[1:3, 0:2], df.at["v", "A"], df.iat[2, 3])
mask = np.asarray(df["B"]) % 8 == 1
print(df[mask], df.loc[mask, "C"].tolist())
print(df.query("A > 4 and D < 18"))
# --- assignment of columns computed in gpa (module pandas)
import pandas as pd
df = pd.DataFrame({"t": np.arange(5.0)})
t = np.asarray(df["t"])
df["v"] = np.exp(-t) * 10
df["w"] = df["v"].cumsum()
df.loc[df["t"] > 2, "v"] = 0
df["z"] = (t - t.mean()) / t.std()
print(df.round(3))
df = df.assign(q=lambda d: d["t"] ** 2, r=1).drop(columns="z").rename(columns={"w": "sum"})
print(df)
# --- group by: sums, several aggregates, transform, apply (module pandas)
import pandas as pd
df = pd.DataFrame({"k": list("abacba"), "g": [1, 1, 2, 2, 1, 2], "v": np.arange(6.0) ** 2})
print(df.groupby("k")["v"].sum())
print(df.groupby("k")["v"].agg(["min", "max", "mean", "count"]))
print(df.groupby(["k", "g"])["v"].sum().unstack(fill_value=0))
print(df.groupby("k")["v"].transform(lambda s: s - s.mean()))
print(df.groupby("g")["v"].apply(lambda s: float(np.sqrt(s).sum())))
for key, part in df.groupby("k"):
    print(key, len(part), part["v"].sum())
# --- merge and join (module pandas)
import pandas as pd
left = pd.DataFrame({"key": ["a", "b", "c", "d"], "x": np.arange(4)})
right = pd.DataFrame({"key": ["b", "d", "d", "e"], "y": np.arange(4) * 10})
print(pd.merge(left, right, on="key"))
print(left.merge(right, on="key", how="left"))
print(left.merge(right, on="key", how="outer", indicator=True))
print(left.set_index("key").join(right.set_index("key"), how="inner"))
print(pd.concat([left, left], ignore_index=True).drop_duplicates())
# --- functions of the program applied to rows, columns and elements (module pandas)
import pandas as pd
df = pd.DataFrame({"a": [1, 2, 3], "b": [4.0, 5.0, 6.0]})
print(df.apply(lambda row: row["a"] * row["b"], axis=1))
print(df.apply(np.sum), df.apply(lambda c: c.max() - c.min()))
print(df["a"].map({1: "one", 2: "two"}), df["a"].map(lambda v: v + 0.5))
print(df.map(lambda v: f"<{v}>"))
print(df.pipe(lambda d, k: d * k, 3))
# --- NumPy's functions keep the index (module pandas)
import pandas as pd
s = pd.Series([1.0, 4.0, 9.0], index=["p", "q", "r"])
print(np.sqrt(s))
print(np.maximum(s, 5), np.add(s, s), np.exp(-s).round(4))
print(np.isnan(s).any(), np.where(s > 2, s, 0))
a = np.array([1.0, 2.0, 3.0])
print(a + s, s * a, a < s)
# --- missing values (module pandas)
import pandas as pd
s = pd.Series([1.0, np.nan, 3.0, None])
print(s.isna().tolist(), s.fillna(0).tolist(), s.dropna().tolist(), s.mean(), s.count())
df = pd.DataFrame({"a": s, "b": ["x", None, "y", "z"]})
print(df.dropna(), df["a"].interpolate().tolist(), df.isnull().sum())
# --- dates and resampling (module pandas)
import pandas as pd
index = pd.date_range("2024-01-30", periods=6, freq="D")
s = pd.Series(np.arange(6.0), index=index)
print(s.resample("2D").sum())
print(s["2024-02"], s.index.dayofweek.tolist(), s.index[0], pd.Timestamp("2024-03-01") - index[0])
print(s.rolling(3).mean().tolist()[2:], s.shift(1).tolist()[1:], s.diff().sum())
# --- files: csv and json (module pandas)
import pandas as pd
import io, os
text = "city,pop,area\nOslo,709,454\nBergen,291,465\nTromsø,77,2521\n"
df = pd.read_csv(io.StringIO(text))
print(df, df["pop"].dtype)
path = os.path.join(os.environ["FOLDER"], "cities.csv")
df.assign(density=df["pop"] / df["area"]).to_csv(path, index=False, float_format="%.3f")
with open(path) as f:
    print(f.read())
print(df.to_json(orient="records"), pd.read_csv(path)["density"].sum().round(3))
# --- text columns (module pandas)
import pandas as pd
s = pd.Series(["Ada Lovelace", "Alan Turing", "Grace Hopper"])
print(s.str.upper().tolist(), s.str.split().str[1].tolist(), s.str.len().tolist(), s.str.contains("r").tolist())
print(s.str.extract(r"(\w)\w* (\w)").agg("".join, axis=1).tolist(), s[s.str.startswith("A")].index.tolist())
# --- reshaping (module pandas)
import pandas as pd
df = pd.DataFrame({"d": [1, 1, 2, 2], "k": list("xyxy"), "v": np.arange(4)})
wide = df.pivot(index="d", columns="k", values="v")
print(wide, wide.stack(), wide.reset_index().melt(id_vars="d"))
print(pd.pivot_table(df, values="v", index="k", aggfunc="sum"), pd.crosstab(df["d"], df["k"]))
print(pd.cut(np.array([1, 5, 9]), [0, 3, 6, 10], labels=["low", "mid", "high"]).tolist(), pd.get_dummies(df["k"]).sum().tolist())
# --- sorting, ranks and quantiles (module pandas)
import pandas as pd
df = pd.DataFrame({"a": [3, 1, 2, 1], "b": [1.5, 0.5, 2.5, -1.0]}, index=list("wxyz"))
print(df.sort_values(["a", "b"], ascending=[True, False]), df.sort_index(ascending=False))
print(df["b"].rank().tolist(), df.quantile([0.25, 0.5]), df["a"].value_counts().sort_index())
print(df.nlargest(2, "b"), df["b"].idxmax(), df.corr().round(3), df.describe().round(3))
# --- iteration (module pandas)
import pandas as pd
df = pd.DataFrame({"n": ["a", "b"], "v": [1, 2.5]})
for i, row in df.iterrows():
    print(i, row["n"], row["v"], type(row).__name__)
for item in df.itertuples():
    print(item.Index, item.n, item.v)
for name, column in df.items():
    print(name, list(column))
print([v * 2 for v in df["v"]], dict(zip(df["n"], df["v"])), df.to_dict("list"))
# --- errors (module pandas)
import pandas as pd
df = pd.DataFrame({"a": [1, 2]})
for f in (lambda: df["b"], lambda: df.loc[5], lambda: pd.DataFrame({"a": [1], "b": [1, 2]}), lambda: pd.to_numeric(pd.Series(["x"])), lambda: df.nope):
    try:
        f()
    except (KeyError, ValueError, AttributeError) as e:
        print(type(e).__name__, e)
print("a" in df, 0 in df.index, isinstance(df, pd.DataFrame), df.empty, bool((df["a"] > 0).all()))
# --- NumPy's functions call the methods of a Series and of a DataFrame (module pandas)
import pandas as pd
s = pd.Series([1.0, np.nan, 3.0], index=list("abc"))
d = pd.DataFrame({"x": [1.0, 2, np.nan], "y": [3.0, 4, 5]})
print(np.mean(s), np.sum(s), np.max(s), np.min(s), np.std(s), np.var(s), np.prod(s), np.median(s), np.any(s), np.all(s))
print(np.mean(d), np.sum(d), np.std(d), np.sum(d, axis=0), np.mean(d, axis=1))
print(np.cumsum(s), np.cumprod(d), np.round(s, 1), np.clip(s, 0, 2), np.repeat(s, 2), np.transpose(d), np.squeeze(s))
print(np.argmax(s), np.argsort(s), np.where(s > 2, 1, 0), np.unique(s), np.isnan(s).sum(), np.dot(s, np.ones(3)), np.percentile(s, 50))
