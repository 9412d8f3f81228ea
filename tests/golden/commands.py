"""The commands whose output is frozen, by name, and what of it is not the same in every run."""

from __future__ import annotations

import re

BINARY = "binary.csv --truth y --models good,fair,poor --id id"
NUMBERS, CLASSES = "numbers.csv --truth price", "classes.csv --truth kind --label x=x --label z=z"
ALL, PLAIN = ("text", "md", "latex", "csv", "json"), ("text", "md", "csv", "json")
SELECT = "select table.csv --target outcome --positive yes --models logistic,tree,naive_bayes"

COMMANDS = {
    "evaluate_all": (f"evaluate {BINARY}", ALL),
    "evaluate_slices": (f"evaluate {BINARY} --metrics roc_auc,f1,log_loss --by region", ALL),
    "evaluate_folds": ("evaluate folds.csv --truth y --fold fold --metrics accuracy,brier", ("text", "md")),
    "evaluate_weighted": (f"evaluate {BINARY} --metrics roc_auc,kappa --weight weight", ("text", "json")),
    "evaluate_classes": (f"evaluate {CLASSES}", ("text", "md", "json")),
    "evaluate_numbers": (f"evaluate {NUMBERS}", ("text", "latex", "csv")),
    "evaluate_lint": (f"evaluate {BINARY} --metrics accuracy,recall --lint", ("text", "md", "json")),
    "evaluate_explained": (f"evaluate {BINARY} --explain", ("text", "md", "latex", "json")),
    "evaluate_explained_numbers": (f"evaluate {NUMBERS} --explain", ("text",)),
    "evaluate_explained_classes": (f"evaluate {CLASSES} --explain", ("text",)),
    "compare": (f"compare {BINARY} --goal roc_auc", ALL),
    "compare_explained": (f"compare {BINARY} --goal accuracy --metrics accuracy --explain", ("text", "md", "json")),
    "compare_groups": (f"compare {BINARY} --goal roc_auc --metrics roc_auc,f1 --group person", ("text", "json")),
    "compare_margin": (f"compare {BINARY} --goal brier --metrics brier --margin 0.02", ("text", "md", "latex")),
    "compare_folds": (
        "compare folds.csv --truth y --fold fold --goal accuracy --metrics accuracy,brier",
        ("text", "json"),
    ),
    "compare_data_sets": (
        "compare data_sets.csv --truth y --by d --unit slice --goal roc_auc --metrics roc_auc,f1",
        ALL,
    ),
    "compare_scores": (
        "compare answers.csv --task scores --id question --group passage --by topic --margin 0.02",
        ("text", "md", "json"),
    ),
    "compare_score_folds": (
        "compare set_folds.csv --task scores --dataset set --fold fold --model-column model --score-column accuracy "
        "--test-fraction 0.2 --explain",
        ("text", "json"),
    ),
    "compare_ranking": (
        "compare ../../reference/query_rankings.csv --truth relevance --query query --goal ndcg@5",
        ("text", "json"),
    ),
    "compare_seeds": (
        "compare runs.csv --task scores --id question --seed-column seed --model-column model --score-column score "
        "--explain",
        ("text", "json"),
    ),
    "compare_classes": (f"compare {CLASSES} --goal kappa", ("text", "md")),
    "compare_numbers": (f"compare {NUMBERS} --goal rmse", ("text", "latex", "json")),
    "gate": (f"gate {BINARY} --goal roc_auc --production fair --candidate good --margin 0.02", ALL),
    "gate_fail": (f"gate {BINARY} --goal brier --production good --candidate poor --margin 0.01", ("text",)),
    "plan": (f"plan --goal roc_auc --margin 0.02 --rows 500 --pilot {BINARY}", ALL),
    "plan_gate": ("plan --goal accuracy --margin 0.02 --value 0.85 --correlation 0.6 --for not_worse", ("text",)),
    "select": (f"{SELECT} --goal roc_auc --scheme k_fold(k=5)", ALL),
    "select_632": (f"{SELECT} --goal accuracy --scheme bootstrap_632(repeats=20)", ("text", "md", "latex")),
    "select_explained": (f"{SELECT} --goal accuracy --scheme bootstrap_632(repeats=20) --explain", ("text",)),
    "select_profile": (
        f"{SELECT} --goal accuracy --scheme k_fold(k=4) --learning-curve 0.5 --robustness label_noise=0.2",
        ("text", "md", "json"),
    ),
    "select_penalty": (f"{SELECT} --goal accuracy --scheme k_fold(k=4) --penalty bic", ("text", "md")),
    "curves": ("curves binary.csv --truth y --models good,fair --kind roc", PLAIN),
    "curves_explained": ("curves binary.csv --truth y --models good --explain", ("text", "latex")),
    "threshold_explained": (
        "threshold binary.csv --truth y --models good,fair --for expected_cost(fn=5) --explain",
        ("text", "md"),
    ),
    "calibrate_explained": ("calibrate binary.csv --truth y --models good --method platt --explain", ("text",)),
    "test_explained": ("tests paired_t --explain", ("text", "md", "json")),
    "lecture": ("lecture", ("text", "md")),
    "lecture_yours": ("lecture folds.csv --truth y --fold fold", ("text",)),
    "lecture_list": ("lecture --list", PLAIN),
    "threshold": ("threshold binary.csv --truth y --models good,fair --for f1", PLAIN),
    "calibrate": ("calibrate binary.csv --truth y --models good", PLAIN),
    "calibrate_several": ("calibrate binary.csv --truth y --models good,poor --metrics brier", PLAIN),
    "advise": (f"advise {BINARY} --no-questions --purpose decision", PLAIN),
    "metrics": ("metrics", PLAIN),
    "metric_card": ("metrics roc_auc", PLAIN),
    "metric_propriety": ("metrics brier --show-proper", ("text", "json")),
    "schemes": ("schemes", ("text", "json")),
    "scheme_card": ("schemes k_fold", ("text", "md")),
    "tests": ("tests", ("text", "csv")),
    "test_card": ("tests mcnemar", ("text", "md")),
    "sources": ("sources", ("text", "json")),
    "source_card": ("sources weka_predictions", ("text", "md")),
    "learners": ("learners", ("text",)),
    "learner_card": ("learners knn", ("text", "md")),
    "own_study": (
        "study --on table.csv --target outcome --positive yes --goal accuracy --metrics accuracy,roc_auc,brier "
        "--models logistic,tree --repetitions 4",
        PLAIN,
    ),
    "no_goal": (f"compare {BINARY}", ("text", "json")),
    "no_column": ("evaluate binary.csv --truth nothing", ("text", "json")),
}

CASES = [
    (f"{name}.{form}", [*line.split(), "--format", form]) for name, (line, forms) in COMMANDS.items() for form in forms
]

PAGES = {
    "evaluate_slices": COMMANDS["evaluate_slices"][0],
    "compare": COMMANDS["compare"][0],
    "compare_data_sets": COMMANDS["compare_data_sets"][0],
    "compare_numbers": COMMANDS["compare_numbers"][0],
    "compare_scores": COMMANDS["compare_scores"][0],
    "compare_score_folds": COMMANDS["compare_score_folds"][0].removesuffix(" --explain"),
    "compare_ranking": COMMANDS["compare_ranking"][0],
    "gate": COMMANDS["gate"][0],
    "plan": COMMANDS["plan"][0],
    "select_632": COMMANDS["select_632"][0],
    "select_profile": COMMANDS["select_profile"][0],
    "curves": COMMANDS["curves"][0],
    "threshold": COMMANDS["threshold"][0],
    "calibrate": COMMANDS["calibrate"][0],
    "own_study": COMMANDS["own_study"][0],
    "metrics": "metrics",
    "evaluate_explained": f"evaluate {BINARY} --metrics roc_auc,f1 --explain",
    "lecture": "lecture roc t-test",
}


def lasting(text):
    """The text without versions, and numbers without the digits in which machines may differ."""
    text = re.sub(r"-?\d+\.\d{6,}(e-?\d+)?|-?\d+(\.\d+)?e-\d+", lambda found: shortened(float(found.group())), text)
    return re.sub(r"referee \d\S*, Python.*", "VERSIONS", text)


PREDICTIONS = re.compile(r'(?<="fingerprint": ")[0-9a-f]{32}|(?<=Fingerprint of the predictions\n)[0-9a-f]{32}')


def without_fitted(text, command):
    """Fits differ by machine in the last digit, and so do the fingerprints of what they predict."""
    return PREDICTIONS.sub("FINGERPRINT", text) if command in ("select", "calibrate") else text


def shortened(number):
    return "0.0" if abs(number) < 1e-12 else f"{number:.9g}"


def visible(page):
    """What a page says, in lines: without scripts, styles and tags."""
    text = re.sub(r"<(script|style|svg)\b.*?</\1>|<!--.*?-->", "", page, flags=re.DOTALL)
    lines = (re.sub(r"\s+", " ", line).strip() for line in re.sub(r"<[^>]*>", "\n", text).splitlines())
    return "\n".join(line for line in lines if line) + "\n"
