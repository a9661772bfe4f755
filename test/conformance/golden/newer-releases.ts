/** A text that a release after 1.31 has changed. */
export interface NewerText {
  readonly family: string;
  /** The text of the recording. */
  readonly recorded: string;
  /** The text of release 1.31, which holds. */
  readonly holds: string;
  readonly reason: string;
}

/** Every recorded text that is newer than release 1.31. One that no step has any more must leave the list. */
export const newerTexts: readonly NewerText[] = [
  {
    family: 'cluster-trust-bundle',
    recorded: 'ClusterTrustBundle is deprecated in v1.34+, unavailable in v1.37+',
    holds: 'ClusterTrustBundle is deprecated in v1.29+, unavailable in v1.32+',
    reason: 'a later release moved the lifecycle of the version',
  },
];

const SIDES = /: recorded ("(?:[^"\\]|\\.)*"), got ("(?:[^"\\]|\\.)*")$/;

/** Returns the newer text that a difference is about, one line of a report; undefined when it has another cause. */
export function newerTextOf(family: string, difference: string): NewerText | undefined {
  const [, recorded, answered] = SIDES.exec(difference) ?? [];
  return newerTexts.find(
    (text) =>
      text.family === family && recorded !== answered && recorded?.replace(text.recorded, text.holds) === answered,
  );
}
