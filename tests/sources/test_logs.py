"""Logs of inspect_ai and lm-evaluation-harness: the means are those that these programs have written themselves."""

from __future__ import annotations

import json
import shutil
import zipfile

import numpy as np
import pytest

from referee import RefereeError, compare, evaluate

NAMES = ("mockllm/large", "mockllm/small")


@pytest.fixture(scope="module")
def inspect(reference):
    return reference / "inspect"


@pytest.fixture(scope="module")
def lm_eval(reference):
    return reference / "lm_eval"


def inspects_own(inspect, scorer):
    """The accuracies of the .json logs, as inspect_ai's results have them."""
    found = {}
    for name in ("large", "small"):
        log = json.loads((inspect / f"both/{name}.json").read_text())
        (score,) = [score for score in log["results"]["scores"] if score["name"] == scorer]
        found[f"mockllm/{name}"] = score["metrics"]["accuracy"]["value"]
    return found


def lm_evals_own(lm_eval, task, metric):
    results = {name: json.loads(next((lm_eval / name).glob("results*")).read_text()) for name in ("large", "small")}
    return {name: found["results"][task][metric] for name, found in results.items()}


class TestInspect:
    @pytest.mark.parametrize("scorer", ["match", "includes"])
    def test_the_means_are_inspects_accuracies(self, inspect, referee, scorer):
        files = sorted((inspect / "both").iterdir())
        found = referee("compare", *files, "--score-column", scorer)
        assert found.json["task"] == "scores"
        values = {name: found.value(name, "mean") for name in NAMES}
        assert values == pytest.approx(inspects_own(inspect, scorer))
        assert compare(*files, score_column=scorer).values == pytest.approx(values)

    def test_epochs_are_samples_of_an_item(self, inspect, referee):
        found = referee("compare", inspect / "match").json
        assert found["rows"] == 8
        assert found["read"]["columns"]["epoch"] == {"as": "repeat"}
        # Of 16 answers 6 and 14 were right: see the script that made the logs.
        assert compare(inspect / "match").values == pytest.approx({"mockllm/small": 6 / 16, "mockllm/large": 14 / 16})

    def test_metadata_group_the_items(self, inspect, referee):
        found = referee("compare", inspect / "both", "--score-column", "match", "--group", "passage").json
        a, b = (np.array(values, float) for values in ([1, 1, 1, 1, 1, 1, 0, 1], [1, 1, 0, 1, 0, 0, 1, 0]))
        # Miller (2024), equations 1 and 4: independent items, and what two of one passage share.
        each = a - b - (a - b).mean()
        shared = 2 * (each.reshape(4, 2).prod(axis=1)).sum()
        clustered = np.sqrt((each**2).sum() / 7 / 8 + shared / 64)
        (pair,) = found["comparisons"]
        assert abs(pair["difference"]) == pytest.approx((a - b).mean())
        assert pair["details"]["groups"]["clustered_standard_error"] == pytest.approx(clustered, rel=1e-9)

    def test_several_scorers_are_listed(self, inspect, referee):
        found = referee("compare", inspect / "both")
        assert (found.code, found.json["error"]["code"]) == (2, "E_SCORES")
        assert "'match' and 'includes'" in found.json["error"]["message"]
        assert "--score-column" in found.json["error"]["hint"]
        with pytest.raises(RefereeError, match="no scores 'matches'; did you mean 'match'"):
            compare(inspect / "both", score_column="matches")

    def test_two_logs_of_one_model_have_the_names_of_their_files(self, inspect, tmp_path):
        for name in ("old", "new"):
            shutil.copy(inspect / "match/large.eval", tmp_path / f"{name}.eval")
        assert {*compare(tmp_path).values} == {"old", "new"}

    def test_one_log_is_evaluated(self, inspect):
        assert evaluate(inspect / "match/small.eval")["mockllm/small", "mean"].value == pytest.approx(6 / 16)

    @pytest.mark.parametrize("file", ["match/large.eval", "both/large.json"])
    def test_a_log_that_is_cut_off_is_refused(self, inspect, tmp_path, referee, file):
        whole = (inspect / file).read_bytes()
        path = tmp_path / file.rpartition("/")[2]
        path.write_bytes(whole[: len(whole) * 2 // 3])
        found = referee("compare", path, inspect / file)
        assert (found.code, found.json["error"]["code"]) == (3, "E_LOG")
        assert path.name in found.json["error"]["message"]
        with pytest.raises(RefereeError, match="cut off"):
            compare(path, inspect / file)

    def test_a_sample_without_a_score_is_named(self, inspect, tmp_path, referee):
        log = json.loads((inspect / "both/small.json").read_text())
        log["samples"][2]["scores"] = {}
        (tmp_path / "small.json").write_text(json.dumps(log))
        files = (tmp_path / "small.json", inspect / "both/large.json", "--score-column", "match")
        error = referee("compare", *files).json["error"]
        assert error["code"] == "E_MISSING" and "row 3" in error["message"] and "--on-missing drop" in error["hint"]
        assert referee("compare", *files, "--on-missing", "drop").json["rows"] == 7

    def test_models_with_different_items_are_named(self, inspect, tmp_path, referee):
        log = json.loads((inspect / "both/small.json").read_text())
        del log["samples"][5]
        (tmp_path / "small.json").write_text(json.dumps(log))
        found = referee("compare", tmp_path / "small.json", inspect / "both/large.json", "--score-column", "match")
        assert found.json["error"]["code"] == "E_ALIGN"
        assert "'mockllm/small' has no score for item sums/q6" in found.json["error"]["message"]

    def test_grades_and_what_is_none(self, tmp_path, referee):
        def log(*values):
            samples = [{"id": place, "epoch": 1, "scores": {"s": {"value": v}}} for place, v in enumerate(values)]
            made = {"version": 2, "status": "success", "eval": {"task": "t", "model": f"m{len(values)}"}}
            return json.dumps({**made, "samples": samples})

        (tmp_path / "a.json").write_text(log("C", "I", "P", "N", True, 0.25, {"f1": 0.5}, "yes"))
        # inspect_ai's value_to_float: C 1, I 0, P 0.5, N 0.
        found = evaluate(tmp_path / "a.json", score_column="s", on_missing="drop")
        assert found["m8", "mean"].value == pytest.approx((1 + 0 + 0.5 + 0 + 1 + 0.25 + 1) / 7)
        (tmp_path / "b.json").write_text(log("C", "excellent"))
        error = referee("evaluate", tmp_path / "b.json").json["error"]
        assert error["code"] == "E_NOTNUM" and "sample 2: the score 'excellent'" in error["message"]

    def test_older_archives_are_deflated_and_may_lack_summaries(self, tmp_path):
        samples = [{"id": n, "epoch": 1, "scores": {"match": {"value": "CI"[n % 2]}}} for n in range(4)]
        with zipfile.ZipFile(tmp_path / "old.eval", "w", zipfile.ZIP_DEFLATED) as archive:
            head = {"eval": {"task": "t", "model": "m"}}
            archive.writestr("_journal/start.json", json.dumps(head))
            for sample in samples:
                archive.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(sample))
        assert evaluate(tmp_path / "old.eval")["m", "mean"].value == 0.5


class TestSamplesOfLmEval:
    def test_the_means_are_lm_evals_results(self, lm_eval, referee):
        files = str(lm_eval / "*/samples_sums_choice*")
        found = referee("compare", files, "--score-column", "acc", "--group", "passage")
        theirs = lm_evals_own(lm_eval, "sums_choice", "acc,none")
        assert {name: found.value(name, "mean") for name in theirs} == pytest.approx(theirs)
        assert compare(files, score_column="acc", group="passage").values == pytest.approx(theirs)

    @pytest.mark.parametrize("score", ["exact_match,strict", "exact_match,flexible"])
    def test_filters_are_scores_of_their_own(self, lm_eval, score):
        verdict = compare(str(lm_eval / "*/samples_sums_open*"), score_column=score)
        assert verdict.values == pytest.approx(lm_evals_own(lm_eval, "sums_open", score))

    def test_several_scores_are_listed(self, lm_eval, referee):
        error = referee("compare", lm_eval / "*/samples_sums_open*").json["error"]
        assert error["code"] == "E_SCORES"
        assert "'exact_match,strict' and 'exact_match,flexible'" in error["message"]

    def test_other_benchmarks_have_other_scores(self, lm_eval, referee):
        files = [*(lm_eval / "large").glob("samples_*choice*"), *(lm_eval / "small").glob("samples_*open*")]
        error = referee("compare", *files).json["error"]
        assert error["code"] == "E_SCORES" and "'acc' and 'acc_norm'" in error["message"]

    def test_a_line_that_is_cut_off_is_named(self, lm_eval, tmp_path, referee):
        text = next((lm_eval / "large").glob("samples_*choice*")).read_text()
        (tmp_path / "samples_sums.jsonl").write_text(text[:-40])
        found = referee("evaluate", tmp_path / "samples_sums.jsonl")
        assert (found.code, found.json["error"]["code"]) == (3, "E_LOG")
        assert "line 12" in found.json["error"]["message"]

    def test_a_document_that_stands_twice_is_named(self, lm_eval, tmp_path, referee):
        lines = next((lm_eval / "large").glob("samples_*choice*")).read_text().splitlines()
        (tmp_path / "samples_sums.jsonl").write_text("\n".join([*lines, lines[3]]))
        error = referee("evaluate", tmp_path / "samples_sums.jsonl").json["error"]
        assert "document 3 has a second 'acc'" in error["message"]


class TestResultsOfLmEval:
    def test_benchmarks_are_data_sets(self, tmp_path, referee):
        for place, model in enumerate(("a", "b")):
            results = {
                f"t{n}": {"alias": f"t{n}", "acc,none": 0.5 + 0.01 * n * place, "acc_stderr,none": 0.1}
                for n in range(8)
            }
            text = json.dumps({"results": results, "model_name": model, "higher_is_better": {"t0": {"acc": True}}})
            (tmp_path / f"results_{model}.json").write_text(text)
        found = referee("compare", tmp_path).json
        assert (found["design"], found["rows"]) == ("data_sets", 8)
        assert compare(tmp_path).values == pytest.approx({"a": 0.5, "b": 0.535})

    def test_less_is_better_where_the_file_says_so(self, tmp_path):
        for place, model in enumerate(("a", "b")):
            results = {f"t{n}": {"word_perplexity,none": 10.0 + n * place} for n in range(8)}
            better = {"t0": {"word_perplexity": False}}
            text = json.dumps({"results": results, "model_name": model, "higher_is_better": better})
            (tmp_path / f"results_{model}.json").write_text(text)
        verdict = compare(tmp_path)
        assert verdict.predictions.scored.better == "lower"
        assert verdict.winners == ("a",)

    def test_a_benchmark_without_the_metric_is_named(self, lm_eval, referee):
        error = referee("compare", lm_eval / "*/results*", "--score-column", "acc").json["error"]
        assert error["code"] == "E_MISSING" and "column 'acc', row 2" in error["message"]

    def test_results_that_are_cut_off(self, lm_eval, tmp_path, referee):
        text = next((lm_eval / "large").glob("results*")).read_text()
        (tmp_path / "results.json").write_text(text[:300])
        found = referee("compare", tmp_path / "results.json", *lm_eval.glob("*/results*"))
        assert (found.code, found.json["error"]["code"]) == (3, "E_LOG")


def test_curves_need_a_truth(inspect, referee):
    found = referee("curves", inspect / "match/large.eval")
    assert (found.code, found.json["error"]["code"]) == (2, "E_TASK")
