# Writes dm_test.json: R's dm.test of the package forecast, on forecasts of series that come with R.
#
#     Rscript tests/reference/r/dm_test.R
#
# The values were computed by R 4.2.2 and forecast 8.20. Two forecasts of each series, h steps ahead: the last value, and
# the mean of the last six. The loss is the error to a power: 1 (mae) or 2 (mse).
suppressMessages(library(forecast))

errors <- function(series, h) {
  origins <- 6:(length(series) - h)
  ahead <- series[origins + h]
  last <- series[origins]
  mean_of_six <- sapply(origins, function(origin) mean(series[(origin - 5):origin]))
  list(truth = ahead, a = last, b = mean_of_six)
}

numbers <- function(values) paste(sprintf("%.17g", values), collapse = ", ")

case <- function(name, series, h, power) {
  given <- errors(as.numeric(series), h)
  found <- dm.test(given$truth - given$a, given$truth - given$b, h = h, power = power, varestimator = "acf")
  stopifnot(found$parameter[["Forecast horizon"]] == h)
  sprintf(
    '{"series": "%s", "horizon": %d, "power": %d, "truth": [%s], "a": [%s], "b": [%s], "statistic": %.17g, "p": %.17g}',
    name, h, power, numbers(given$truth), numbers(given$a), numbers(given$b), found$statistic, found$p.value
  )
}

series <- list(lynx = log(lynx), WWWusage = WWWusage, Nile = Nile)
cases <- c()
for (name in names(series)) {
  for (h in c(1, 2, 4, 8)) {
    for (power in c(1, 2)) {
      cases <- c(cases, tryCatch(case(name, series[[name]], h, power), warning = function(warned) NULL))
    }
  }
}
path <- sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))
writeLines(paste0("[\n", paste(cases, collapse = ",\n"), "\n]"), sub("\\.R$", ".json", path))
