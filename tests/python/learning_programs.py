# Programs of users of scikit-learn on arrays of gpa.
# --- linear models (module sklearn)
from sklearn.linear_model import LinearRegression, Ridge, Lasso, LogisticRegression
x = np.linspace(0, 1, 20)[:, None] ** np.arange(1, 4)
y = x @ np.array([1.0, -2.0, 3.0]) + 0.5
m = LinearRegression().fit(x, y)
print(np.round(m.coef_, 6), round(m.intercept_, 6), round(m.score(x, y), 6), np.round(m.predict(x[:2]), 6))
print(np.round(Ridge(alpha=0.1).fit(x, y).coef_, 5), (Lasso(alpha=0.01).fit(x, y).coef_ != 0).tolist())
c = LogisticRegression().fit(x, y > 1)
print(c.predict(x)[[0, -1]], c.classes_, c.predict_proba(x).shape)
print(m)
# --- a pipeline with cross-validation (module sklearn)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score, train_test_split
x, y = load_iris(return_X_y=True)
print(type(x).__name__, x.shape, y[:3])
p = make_pipeline(StandardScaler(), SVC(C=1.0))
print(np.round(cross_val_score(p, x, y, cv=5), 4))
a, b, c, d = train_test_split(x, y, test_size=0.3, random_state=0)
print(a.shape, b.shape, round(p.fit(a, c).score(b, d), 4), p.named_steps["svc"].n_support_)
# --- clusters (module sklearn)
from sklearn.cluster import KMeans, DBSCAN, AgglomerativeClustering
x = np.array([[1, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0.0]])
k = KMeans(n_clusters=2, n_init=1, random_state=0).fit(x)
print(sorted(k.cluster_centers_.tolist()), len(set(k.labels_.tolist())), round(k.inertia_, 4))
print(DBSCAN(eps=3, min_samples=2).fit(x).labels_, AgglomerativeClustering(2).fit_predict(x).shape)
# --- decomposition and embedding (module sklearn)
from sklearn.decomposition import PCA, TruncatedSVD, NMF
from sklearn.datasets import load_iris
x = load_iris().data
p = PCA(2).fit(x)
print(np.round(p.explained_variance_ratio_, 5), np.round(np.abs(p.transform(x)[:2]), 4), p.components_.shape)
print(np.round(np.abs(TruncatedSVD(2, random_state=0).fit(x).singular_values_), 4))
# --- trees, forests, neighbours (module sklearn)
from sklearn.tree import DecisionTreeClassifier, export_text
from sklearn.ensemble import RandomForestClassifier, GradientBoostingRegressor
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from sklearn.datasets import load_iris
d = load_iris()
t = DecisionTreeClassifier(max_depth=2, random_state=0).fit(d.data, d.target)
print(export_text(t, feature_names=list(d.feature_names)))
f = RandomForestClassifier(10, random_state=0).fit(d.data, d.target)
print(round(f.score(d.data, d.target), 3), f.predict(d.data[[0, 75, 149]]), d.target_names[t.predict(d.data[:1])].tolist())
print(KNeighborsClassifier(3).fit(d.data, d.target).predict(d.data[::50] + 0.1))
dist, i = NearestNeighbors(n_neighbors=2).fit(d.data).kneighbors(d.data[:2])
print(np.round(dist, 4), i)
# --- search of parameters (module sklearn)
from sklearn.model_selection import GridSearchCV, KFold, learning_curve
from sklearn.linear_model import Ridge
rng = np.random.default_rng(0)
x = np.arange(60.0).reshape(20, 3) % 7
y = x @ np.array([1.0, 2, 3])
g = GridSearchCV(Ridge(), {"alpha": [0.01, 1.0, 10.0]}, cv=KFold(4)).fit(x, y)
print(g.best_params_, round(g.best_score_, 5), g.cv_results_["mean_test_score"].round(4))
for train, test in KFold(3).split(x[:6]):
    print(train, test)
# --- metrics (module sklearn)
from sklearn import metrics
y, p = np.array([0, 1, 1, 0, 1]), np.array([0, 1, 0, 0, 1])
print(metrics.accuracy_score(y, p), metrics.confusion_matrix(y, p), round(metrics.f1_score(y, p), 5))
print(metrics.classification_report(y, p))
print(metrics.roc_auc_score(y, np.array([0.1, 0.9, 0.4, 0.3, 0.8])),
    round(metrics.mean_squared_error([1.0, 2], [1.5, 2]), 5), metrics.r2_score([1, 2, 3], [1, 2, 3.5]))
# --- preprocessing and feature extraction (module sklearn)
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures, MinMaxScaler, LabelEncoder, FunctionTransformer
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.impute import SimpleImputer
x = np.array([[0.0, 1], [2, 3], [4, 5]])
print(PolynomialFeatures(2).fit_transform(x), MinMaxScaler().fit_transform(x))
print(OneHotEncoder(sparse_output=False).fit_transform([["a"], ["b"], ["a"]]), LabelEncoder().fit_transform(["x", "z", "x"]))
v = CountVectorizer()
print(v.fit_transform(["the cat", "the dog the"]).toarray(), v.get_feature_names_out().tolist())
print(SimpleImputer().fit_transform(np.array([[1.0, np.nan], [3, 4]])), FunctionTransformer(lambda a: a * 2).transform(x))
# --- an estimator written in the program (module sklearn)
from sklearn.model_selection import cross_val_score
class Mean:
    def __init__(self, shift=0.0):
        self.shift = shift
    def get_params(self, deep=True):
        return {"shift": self.shift}
    def set_params(self, **named):
        for name, v in named.items():
            setattr(self, name, v)
        return self
    def fit(self, x, y):
        self.mean_ = y.mean() + self.shift
        return self
    def predict(self, x):
        return np.full(len(x), self.mean_)
from sklearn.metrics import mean_absolute_error
m = Mean(0.5).fit(None, np.arange(5.0))
print(mean_absolute_error(np.arange(5.0), m.predict(np.zeros((5, 1)))))
# --- Gaussian processes and kernels of the program (module sklearn)
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF
from sklearn.svm import SVR
x = np.linspace(0, 5, 8)[:, None]
y = np.sin(x).ravel()
g = GaussianProcessRegressor(RBF(1.0), optimizer=None).fit(x, y)
mean, std = g.predict(np.array([[1.1], [2.2]]), return_std=True)
print(np.round(mean, 4), np.round(std, 4))
s = SVR(kernel=lambda a, b: np.exp(-((a[:, None, :] - b[None, :, :]) ** 2).sum(2)), C=10).fit(x, y)
print(np.round(s.predict(x[:3]), 1))
# --- errors and warnings (module sklearn)
from sklearn.linear_model import LinearRegression
from sklearn.exceptions import NotFittedError
try:
    LinearRegression().predict(np.ones((2, 2)))
except NotFittedError as e:
    print("not fitted", str(e)[:40])
try:
    LinearRegression().fit(np.ones(3), np.ones(3))
except ValueError as e:
    print(str(e).splitlines()[0])
try:
    LinearRegression().fit(np.array([[1.0], [np.nan]]), np.ones(2))
except ValueError as e:
    print(str(e).splitlines()[0])
