"""From what users hand to ``fit`` to the edges of a star graph around the rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_array, validate_data

from comraf.errors import InputError
from comraf.graph import Edge
from comraf.graph import edge_weights as rule_weights
from comraf.results import Result

__all__ = ["ROWS", "TableClusterer"]

#: Name of the node of rows in the graphs that the estimators build.
ROWS = "rows"
_COLUMNS = "columns"
# Any sparse format as it is (converting would sum small integers in their own type), and
# NaN too: the graph refuses it and says where it stands.
_CHECKS: dict[str, Any] = {
    "accept_sparse": True,
    "dtype": "numeric",
    "ensure_all_finite": False,
}


class TableClusterer(ClusterMixin, BaseEstimator):
    """Base of the estimators that cluster the rows of one or several tables."""

    result_: Result

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags

    def _tables(self, X: Any) -> dict[str, Any]:
        """Checked tables by name; sets the attributes scikit-learn expects of ``fit``."""
        if not isinstance(X, Mapping) or issparse(X):  # dok_array is a dict, too
            return {_COLUMNS: validate_data(self, X, **_CHECKS)}
        if not X:
            raise InputError("X is an empty mapping; give at least one table, as {'words': table}")
        tables: dict[str, Any] = {}
        for name, table in X.items():
            if not isinstance(name, str) or not name or name == ROWS:
                raise InputError(
                    f"{name!r} can't name a table; use a string such as 'words' (but not {ROWS!r}, "
                    "which is the side that all tables share)"
                )
            tables[name] = check_array(table, input_name=name, **_CHECKS)
        rows = {name: table.shape[0] for name, table in tables.items()}
        if len(set(rows.values())) > 1:
            raise InputError(f"the tables must share their rows, but have {rows} of them")
        if hasattr(self, "feature_names_in_"):  # of an earlier fit on a single table
            del self.feature_names_in_
        self.n_features_in_ = sum(table.shape[1] for table in tables.values())
        return tables

    def _edges(
        self,
        tables: Mapping[str, Any],
        weighting: str,
        edge_weights: Mapping[str, float] | str,
        sample_weight: npt.ArrayLike | None,
    ) -> list[Edge]:
        if isinstance(edge_weights, str):
            weights = rule_weights(tables, edge_weights, weighting, sample_weight)
        elif not isinstance(edge_weights, Mapping):
            raise InputError(
                f"edge_weights={edge_weights!r}; give the name of a rule, or weights by table name"
            )
        else:
            unknown = set(edge_weights) - set(tables)
            if unknown:
                raise InputError(
                    f"edge_weights names {sorted(unknown)[0]!r}, which is not a table; "
                    f"the tables are {sorted(tables)}"
                )
            weights = dict.fromkeys(tables, 1.0) | dict(edge_weights)
        return [
            Edge(
                ROWS,
                name,
                table,
                weight=weights[name],
                weighting=weighting,
                row_weights=sample_weight,
            )
            for name, table in tables.items()
        ]

    def _keep(self, result: Result) -> None:
        self.result_ = result
        self.labels_: npt.NDArray[np.int32] = np.array(result.labels[ROWS])
        self.modality_labels_ = {name: np.array(labels) for name, labels in result.labels.items()}
        self.objective_ = result.objective
        self.n_iter_ = max(1, result.trace[-1].step if result.trace else 1)

    def fit_predict(
        self, X: Any, y: Any = None, *, sample_weight: npt.ArrayLike | None = None
    ) -> npt.NDArray[np.int32]:
        """Cluster and return the labels of the rows."""
        return np.asarray(self.fit(X, y, sample_weight=sample_weight).labels_)
