#!/bin/sh
# Predictions as Weka prints them, and what Weka says of them. WEKA36 is the jar of Debian's weka 3.6.14 (with java-cup's
# behind a colon), WEKA39 that of Weka 3.9.7, DATA the folder of Debian's examples. Times of day are no part of it.
set -e
out=weka.classifiers.evaluation.output.prediction
run() { java -cp "$1" "weka.classifiers.$2" -t "$DATA/$3.arff" -x "$4" "$5" "$6" $7 2>/dev/null; }
for model in trees.J48 bayes.NaiveBayes; do
  name=${model#*.}
  run "$WEKA39" $model breast-cancer 10 -classifications "$out.CSV -suppress -distribution -file $name.csv" >/dev/null
  run "$WEKA39" $model breast-cancer 10 -classifications "$out.CSV -suppress -file $name.short.csv" >/dev/null
  run "$WEKA39" $model iris 3 -classifications "$out.CSV -use-tab" >"$name.iris.tsv"
  run "$WEKA36" $model breast-cancer 10 -p 0 >"$name.36.txt"
  run "$WEKA36" $model iris 3 -p 1 -distribution >"$name.iris.36.txt"
  run "$WEKA39" $model breast-cancer 10 -v -o | grep -v Time >"$name.summary"
done
for model in functions.LinearRegression trees.M5P; do
  name=${model#*.}
  run "$WEKA39" $model cpu 3 -classifications "$out.CSV -suppress -file $name.csv" >/dev/null
  run "$WEKA36" $model cpu 3 -p 1-2 >"$name.36.txt"
  run "$WEKA39" $model cpu 3 -v -o | grep -v Time >"$name.summary"
done
