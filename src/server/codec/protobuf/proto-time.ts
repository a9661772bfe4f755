/** A time in protobuf. */
export interface ProtoTime {
  readonly seconds: number;
  readonly nanos: number;
}

const FRACTION = /\.([0-9]{1,9})/;

/**
 * Converts an RFC 3339 time to seconds and nanoseconds; undefined for an invalid time.
 *
 * @param micro whether to keep fractions, down to microseconds
 */
export function timeToProto(text: string, micro: boolean): ProtoTime | undefined {
  const milliseconds = Date.parse(text.replace(FRACTION, ''));
  if (Number.isNaN(milliseconds)) return undefined;
  const digits = micro ? (FRACTION.exec(text)?.[1] ?? '') : '';
  return { seconds: Math.floor(milliseconds / 1000), nanos: Number(digits.padEnd(6, '0').slice(0, 6)) * 1000 };
}

/** Range of RFC 3339 times: years 0 to 9999. */
const FIRST_SECOND = -62_167_219_200;
const LAST_SECOND = 253_402_300_799;

/**
 * Converts seconds and nanoseconds to RFC 3339 in UTC, with six fraction digits or none.
 *
 * @returns undefined for a time outside the range of RFC 3339
 */
export function timeFromProto(time: ProtoTime, micro: boolean): string | undefined {
  if (time.seconds < FIRST_SECOND || time.seconds > LAST_SECOND) return undefined;
  const whole = new Date(time.seconds * 1000).toISOString().slice(0, 19);
  if (!micro) return `${whole}Z`;
  const micros = Math.floor(Math.min(Math.max(time.nanos, 0), 999_999_999) / 1000);
  return `${whole}.${String(micros).padStart(6, '0')}Z`;
}
