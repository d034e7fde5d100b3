# Answers of R to the samples of a CSV file (columns a, b: numbers joined by blanks), as CSV.
files <- commandArgs(trailingOnly = TRUE)
numbers <- function(text) as.numeric(strsplit(text, " ")[[1]])
one <- function(row) {
  a <- numbers(row[["a"]])
  b <- numbers(row[["b"]])
  d <- b[seq_len(min(length(a), length(b)))] - a[seq_len(min(length(a), length(b)))]
  signed <- wilcox.test(d, conf.int = TRUE, exact = TRUE)
  sums <- wilcox.test(b, a, conf.int = TRUE, exact = TRUE)
  welch <- t.test(b, a)
  student <- t.test(d)
  needed <- power.t.test(delta = abs(mean(a)) / 4 + 0.2, sd = sd(d), power = 0.8,
                         type = "one.sample", strict = TRUE)
  each <- power.t.test(delta = abs(mean(a)) / 4 + 0.2, sd = sd(a), power = 0.8, strict = TRUE)
  c(
    signed_p = signed$p.value, signed_low = signed$conf.int[1], signed_high = signed$conf.int[2],
    signed_median = signed$estimate[[1]],
    sums_p = sums$p.value, sums_low = sums$conf.int[1], sums_high = sums$conf.int[2],
    sums_median = sums$estimate[[1]],
    welch_p = welch$p.value, welch_low = welch$conf.int[1], welch_high = welch$conf.int[2],
    student_low = student$conf.int[1], student_high = student$conf.int[2],
    acf = acf(d, lag.max = 1, plot = FALSE)$acf[2],
    needed = ceiling(needed$n), each = ceiling(each$n),
    t = student$statistic[[1]]
  )
}
samples <- read.csv(files[1], colClasses = "character")
found <- t(apply(samples, 1, one))
write.csv(cbind(samples, format(found, digits = 15, trim = TRUE)), files[2], row.names = FALSE,
          quote = FALSE)
