# Figures of R's ordinal::clm that csvor's regression is compared with.
#
#   Rscript benchmarks/clm_golden.R tests/golden_clm.json
#
# Debian: r-base-core, r-cran-ordinal, r-cran-mass, r-cran-jsonlite. The tables are R's own: wine, soup and
# income of ordinal, housing of MASS. They are not kept here, only what was fitted to them.

suppressPackageStartupMessages(library(ordinal))
library(jsonlite)

tables <- list(
  wine = ordinal::wine, soup = ordinal::soup, income = ordinal::income, housing = MASS::housing
)
# Newton goes on until the gradient is nil, so that all ten digits are those of the optimum.
precise <- list(gradTol = 1e-9, relTol = 1e-9, maxIter = 500L)

# ---- fits -------------------------------------------------------------------------------------------

case <- function(name, dataset, formula, link = "logit", nominal = NULL, scale = NULL, weights = NULL,
                 vcov = FALSE) {
  list(
    name = name, dataset = dataset, formula = formula, link = link, nominal = nominal, scale = scale,
    weights = weights, vcov = vcov
  )
}

fit_case <- function(case) {
  arguments <- list(
    formula = as.formula(case$formula), data = tables[[case$dataset]], link = case$link,
    threshold = "flexible", control = precise
  )
  if (!is.null(case$nominal)) arguments$nominal <- as.formula(case$nominal)
  if (!is.null(case$scale)) arguments$scale <- as.formula(case$scale)
  if (!is.null(case$weights)) arguments$weights <- as.name(case$weights)
  do.call(clm, arguments)
}

# A column that is nominal too has no single coefficient: clm says NA, and it is left out here.
named <- function(values) {
  values <- values[!is.na(values)]
  setNames(as.list(values), as.character(names(values)))
}

# Where a threshold runs off to infinity (code 1: singular) only the likelihood has a value.
describe <- function(case, fit) {
  finite <- fit$convergence$code == 0
  parts <- lapply(list(alpha = fit$alpha, beta = fit$beta, zeta = fit$zeta), named)
  which <- rep(names(parts), lengths(parts))
  errors <- if (finite) sqrt(diag(vcov(fit)))
  stopifnot(!finite || length(errors) == length(which))
  se <- function(part) setNames(as.list(errors[which == part]), names(parts[[part]]))
  c(
    case[c("name", "dataset", "formula", "nominal", "scale", "link", "weights")],
    list(
      threshold = "flexible",
      alpha = if (finite) parts$alpha, beta = if (finite) parts$beta, zeta = if (finite) parts$zeta,
      se = if (finite) sapply(names(parts), se, simplify = FALSE),
      logLik = as.numeric(logLik(fit)), edf = fit$edf, nobs = fit$nobs, AIC = AIC(fit), BIC = BIC(fit)
    ),
    if (case$vcov) list(vcov = unname(vcov(fit)))
  )
}

links <- c("logit", "probit", "cloglog", "loglog", "cauchit")
# Partial and scale effects are asked for with these two; the others differ from them by the link alone.
two <- c("logit", "probit")
for_links <- function(links, name, ...) {
  lapply(links, function(link) case(paste0(name, ", ", link), ..., link = link))
}

both <- "rating ~ temp + contact"
satisfied <- "Sat ~ Infl + Type + Cont"
background <- "SURENESS ~ PRODID + DAY + SOUPTYPE + SOUPFREQ + COLD + EASY + GENDER + AGEGROUP"
cases <- c(
  for_links("logit", "wine", "wine", both, vcov = TRUE),
  for_links(links[-1], "wine", "wine", both),
  for_links(two, "wine null", "wine", "rating ~ 1"),
  for_links(two, "wine temp", "wine", "rating ~ temp"),
  for_links("logit", "wine interaction", "wine", "rating ~ temp * contact"),
  for_links("logit", "wine judges", "wine", "rating ~ temp + contact + judge"),
  for_links(links, "wine nominal contact", "wine", both, nominal = "~ contact"),
  for_links("logit", "wine nominal temp", "wine", both, nominal = "~ temp"),
  for_links(two, "wine temp, nominal contact", "wine", "rating ~ temp", nominal = "~ contact"),
  for_links("logit", "wine nominal both", "wine", "rating ~ 1", nominal = "~ temp + contact"),
  for_links(links, "wine scale temp", "wine", both, scale = "~ temp"),
  for_links(two, "wine scale contact", "wine", both, scale = "~ contact"),
  for_links("logit", "wine scale both", "wine", both, scale = "~ temp + contact"),
  for_links("logit", "wine temp, nominal contact, scale temp", "wine", "rating ~ temp",
    nominal = "~ contact", scale = "~ temp", vcov = TRUE
  ),
  for_links(two, "wine nominal contact, scale temp", "wine", both, nominal = "~ contact", scale = "~ temp"),
  for_links(two, "wine weights", "wine", both, weights = "response"),
  for_links("logit", "wine weights, nominal contact, scale temp", "wine", both,
    nominal = "~ contact", scale = "~ temp", weights = "response"
  ),
  for_links(links, "soup", "soup", "SURENESS ~ PRODID"),
  for_links("logit", "soup type", "soup", "SURENESS ~ PRODID + SOUPTYPE"),
  for_links("logit", "soup background", "soup", background),
  for_links(two, "soup scale", "soup", "SURENESS ~ PROD", scale = "~ PROD"),
  for_links("logit", "soup scale products", "soup", "SURENESS ~ PRODID", scale = "~ PROD"),
  for_links("logit", "soup nominal", "soup", "SURENESS ~ PROD + SOUPTYPE", nominal = "~ SOUPTYPE"),
  for_links("logit", "soup nominal, scale", "soup", "SURENESS ~ PRODID + SOUPTYPE",
    nominal = "~ SOUPTYPE", scale = "~ PROD"
  ),
  for_links("logit", "income", "income", "income ~ year", weights = "pct", vcov = TRUE),
  for_links(links[-1], "income", "income", "income ~ year", weights = "pct"),
  for_links("logit", "income scale", "income", "income ~ year", scale = "~ year", weights = "pct"),
  for_links("logit", "income nominal", "income", "income ~ year", nominal = "~ year", weights = "pct"),
  for_links(links, "housing", "housing", satisfied, weights = "Freq"),
  for_links(two, "housing interaction", "housing", "Sat ~ Infl * Type + Cont", weights = "Freq"),
  for_links(two, "housing nominal", "housing", satisfied, nominal = "~ Cont", weights = "Freq"),
  for_links("logit", "housing nominal type", "housing", satisfied, nominal = "~ Type", weights = "Freq"),
  for_links("logit", "housing scale", "housing", satisfied, scale = "~ Cont", weights = "Freq"),
  for_links("logit", "housing scale influence", "housing", satisfied, scale = "~ Infl", weights = "Freq"),
  for_links("logit", "housing nominal, scale", "housing", satisfied,
    nominal = "~ Cont", scale = "~ Infl", weights = "Freq"
  )
)
names(cases) <- sapply(cases, `[[`, "name")
fits <- lapply(cases, fit_case)

# clm's outermost thresholds are -1e5 and 1e5, not infinite. The Cauchy distribution has 3e-6 beyond them, which
# moves the estimates of cauchit by up to 7e-4. So its cases are fitted a second time with 1e12 in their place,
# by a copy of clm that differs in this number alone.
replaced <- function(code, old, new) {
  if (is.numeric(code) && length(code) == 1 && code == old) return(new)
  if (is.call(code)) code[] <- lapply(code, replaced, old, new)
  code
}
with_outermost <- function(value, fit) {
  kept <- getFromNamespace("clm.newRho", "ordinal")
  on.exit(assignInNamespace("clm.newRho", kept, "ordinal"))
  changed <- kept
  body(changed) <- replaced(body(kept), 1e5, value)
  stopifnot(!identical(body(changed), body(kept)))
  assignInNamespace("clm.newRho", changed, "ordinal")
  fit()
}
cauchit <- Filter(function(case) case$link == "cauchit", cases)
infinite <- with_outermost(1e12, function() lapply(cauchit, fit_case))

# ---- tests, intervals, predictions of those fits -----------------------------------------------------

# One object a line of an R table; what R leaves empty, or did not manage to fit, is null.
lines_of <- function(table, columns) {
  table <- as.data.frame(table)
  lapply(seq_len(nrow(table)), function(i) {
    values <- lapply(columns, function(column) {
      value <- table[i, column]
      if (is.na(value)) NULL else value
    })
    c(list(term = rownames(table)[i]), setNames(values, names(columns)))
  })
}
tested <- c(Df = "Df", logLik = "logLik", AIC = "AIC", LRT = "LRT", p = "Pr(>Chi)")
table_of <- function(fits_named, test, columns) {
  lapply(fits_named, function(name) list(case = name, table = lines_of(test(fits[[name]]), columns)))
}
nominal_tests <- table_of(
  c(
    "wine, logit", "wine, probit", "wine, cloglog", "wine scale temp, logit", "housing, logit",
    "housing, probit", "housing scale, logit", "soup, logit", "soup type, logit", "soup background, logit"
  ),
  nominal_test, tested
)
scale_tests <- table_of(
  c(
    "wine, logit", "wine, probit", "wine, cloglog", "wine nominal contact, logit", "housing, logit",
    "housing, probit", "housing nominal, logit", "soup, logit", "soup type, logit", "soup background, logit"
  ),
  scale_test, tested
)
drops <- table_of(
  c("wine, logit", "wine, probit", "wine interaction, logit", "housing, logit"),
  function(fit) drop1(fit, test = "Chisq"),
  c(Df = "Df", AIC = "AIC", LRT = "LRT", p = "Pr(>Chi)")
)

compared <- list(
  c("wine temp, logit", "wine, logit"),
  c("wine null, logit", "wine temp, logit", "wine, logit", "wine interaction, logit"),
  c("wine, logit", "wine nominal contact, logit"),
  c("wine, logit", "wine scale temp, logit", "wine nominal contact, scale temp, logit"),
  c("wine null, probit", "wine temp, probit", "wine, probit"),
  c("housing, logit", "housing interaction, logit"),
  c("housing, probit", "housing interaction, probit"),
  c("housing, logit", "housing nominal, logit", "housing nominal, scale, logit"),
  c("soup, logit", "soup type, logit", "soup background, logit")
)
comparisons <- lapply(compared, function(names) {
  table <- do.call(anova, unname(fits[names]))
  rownames(table) <- names
  list(
    cases = names,
    table = lines_of(table, c(
      edf = "no.par", AIC = "AIC", logLik = "logLik", LRT = "LR.stat", Df = "df", p = "Pr(>Chisq)"
    ))
  )
})

# R reads the limits off a spline through nine points a side; many points show what is R's interpolation.
limits <- function(intervals) {
  lapply(seq_len(nrow(intervals)), function(i) {
    list(term = rownames(intervals)[i], lower = intervals[i, 1], upper = intervals[i, 2])
  })
}
profiled <- c(
  "wine, logit", "wine, probit", "wine, cloglog", "wine, loglog", "wine scale temp, logit",
  "wine temp, nominal contact, logit", "housing, logit", "income, logit"
)
profiles <- lapply(profiled, function(name) {
  fit <- fits[[name]]
  fine <- profile(fit, alpha = (1 - 0.95) / 4, nsteps = 200, max.steps = 1000)
  list(
    case = name, level = 0.95, intervals = limits(confint(fit, level = 0.95, type = "profile")),
    finer = limits(confint(fine, level = 0.95))
  )
})

# Probabilities of all classes, a row for each distinct row of the columns.
predicted <- list(
  "wine, logit" = c("temp", "contact"), "wine, probit" = c("temp", "contact"),
  "wine temp, nominal contact, scale temp, logit" = c("temp", "contact"),
  "housing, logit" = c("Infl", "Type", "Cont")
)
predictions <- lapply(names(predicted), function(name) {
  rows <- unique(tables[[cases[[name]]$dataset]][predicted[[name]]])
  rows <- head(rows, 4)
  prediction <- predict(fits[[name]], rows, se.fit = TRUE, interval = TRUE, level = 0.95, type = "prob")
  list(
    case = name, columns = lapply(rows, as.character), level = 0.95, fit = unname(prediction$fit),
    se = unname(prediction$se.fit), lower = unname(prediction$lwr), upper = unname(prediction$upr)
  )
})

# ---- the file ---------------------------------------------------------------------------------------

# The order of levels, which a file of comma-separated values does not say; the first is the base.
levels_of <- lapply(tables, function(table) {
  lapply(Filter(function(column) is.factor(column) && nlevels(column) <= 10, table), levels)
})
versions <- lapply(
  setNames(nm = c("ordinal", "MASS", "jsonlite")), function(package) as.character(packageVersion(package))
)
text <- function(value) {
  value <- unclass(value)
  if (is.list(value) && is.null(names(value))) {
    return(paste0("[\n", paste0("  ", lapply(value, line), collapse = ",\n"), "\n ]"))
  }
  line(value)
}
# `I(10)`: significant digits, not places.
line <- function(value) toJSON(value, auto_unbox = TRUE, digits = I(10), null = "null", na = "null")

contents <- list(
  R = paste(R.version$major, R.version$minor, sep = "."), packages = versions, levels = levels_of,
  fits = unname(Map(describe, cases, fits)),
  infinite = unname(Map(describe, cauchit, infinite)), nominal_test = nominal_tests, scale_test = scale_tests,
  anova = comparisons, drop1 = drops, profile = profiles, predict = predictions
)
writeLines(
  c("{", paste0(' "', names(contents), '": ', sapply(contents, text), collapse = ",\n"), "}"),
  commandArgs(trailingOnly = TRUE)[1]
)
