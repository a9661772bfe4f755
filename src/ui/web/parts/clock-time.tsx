/** Shows the time of day of a moment; a tool tip has the whole. @param at milliseconds since the epoch */
export function ClockTime({ at }: { readonly at: number }) {
  const time = new Date(at);
  return (
    <time dateTime={time.toISOString()} title={time.toISOString()}>
      {time.toLocaleTimeString()}
    </time>
  );
}
