/// The Gregorian calendar in whole days, for the years 0 to 9999.
///
/// Years start in March here, so that the leap day is the last day of its year. 400 years are
/// 146,097 days, and day 0 is 1970-01-01.
extension UTCTime {
  /// Returns the number of days from 1970-01-01 to a date.
  static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let marchYear = month <= 2 ? year - 1 : year
    let marchMonth = (month + 9) % 12
    let dayOfYear = (153 * marchMonth + 2) / 5 + day - 1
    let leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
    return marchYear * 365 + leapDays + dayOfYear - 719_468
  }

  /// Returns the date of a day counted from 1970-01-01.
  static func date(ofDay number: Int64) -> (year: Int64, month: Int64, day: Int64) {
    var year = (number + 719_468) * 400 / 146_097 + 1
    while days(year: year, month: 3, day: 1) > number { year -= 1 }
    let dayOfYear = number - days(year: year, month: 3, day: 1)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    return marchMonth < 10 ? (year, marchMonth + 3, day) : (year + 1, marchMonth - 9, day)
  }
}
