"""Samples and results of lm-evaluation-harness 0.4.13: `pip install lm_eval`, then `python make.py` in this folder.

Twelve sums in four passages, asked as a choice (acc, acc_norm) and openly (exact_match by two filters), of two mocks.
"""

import json
import tempfile
from pathlib import Path

from lm_eval import simple_evaluate
from lm_eval.api.model import LM
from lm_eval.loggers import EvaluationTracker

HERE = Path(__file__).parent
WRONG = {"small": {1, 4, 5, 7, 10}, "large": {4}}


class Mock(LM):
    def __init__(self, wrong):
        super().__init__()
        self.wrong = wrong

    def loglikelihood(self, requests):
        return [(-1.0 if (asked.idx == 0) != (asked.doc_id in self.wrong) else -2.0, False) for asked in requests]

    def generate_until(self, requests):
        """Even sums are answered with the number alone, odd ones with words."""
        said = {True: "It is ", False: ""}
        return [
            "no idea" if asked.doc_id in self.wrong else f"{said[asked.doc_id % 2 == 1]}{2 * asked.doc_id}"
            for asked in requests
        ]

    def loglikelihood_rolling(self, requests):
        raise NotImplementedError


def documents(folder):
    file = Path(folder, "sums.jsonl")
    rows = [
        {"passage": f"p{n // 3}", "question": f"{n} + {n}?", "choices": [str(2 * n), str(3 * n + 1)], "answer": 0}
        for n in range(12)
    ]
    file.write_text("\n".join(map(json.dumps, rows)))
    return str(file)


def tasks(file):
    data = {
        "dataset_path": "json", "dataset_kwargs": {"data_files": {"test": file}}, "test_split": "test",
        "num_fewshot": 0, "doc_to_text": "{{question}}",
    }  # fmt: skip
    choice = {
        "task": "sums_choice", **data, "output_type": "multiple_choice", "doc_to_choice": "choices",
        "doc_to_target": "answer", "metric_list": [{"metric": "acc"}, {"metric": "acc_norm"}],
    }  # fmt: skip
    strict = {"name": "strict", "filter": [{"function": "take_first"}]}
    flexible = {
        "name": "flexible",
        "filter": [{"function": "regex", "regex_pattern": "(\\d+)"}, {"function": "take_first"}],
    }
    openly = {
        "task": "sums_open", **data, "output_type": "generate_until", "doc_to_target": "{{choices[0]}}",
        "metric_list": [{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}],
        "generation_kwargs": {"until": ["\n"]}, "filter_list": [strict, flexible],
    }  # fmt: skip
    return [choice, openly]


def main():
    for name, wrong in WRONG.items():
        tracker = EvaluationTracker(output_path=str(HERE))
        with tempfile.TemporaryDirectory() as folder:
            asked = tasks(documents(folder))
            found = simple_evaluate(model=Mock(wrong), tasks=asked, log_samples=True, bootstrap_iters=0)
        samples = found.pop("samples")
        tracker.general_config_tracker.model_name = name
        tracker.general_config_tracker.model_name_sanitized = name
        # Of the results, what says something about the models.
        kept = {key: found[key] for key in ("results", "versions", "n-shot", "higher_is_better", "n-samples")}
        tracker.save_results_aggregated(results=kept, samples=samples)
        for task in samples:
            tracker.save_results_samples(task_name=task, samples=samples[task])
        for file in Path(HERE, name).iterdir():
            file.rename(file.with_name(file.name.rpartition("_")[0] + "_2026-11-17T11-00-00.000000" + file.suffix))


if __name__ == "__main__":
    main()
