/** What the events that share a limit have in common. */
export const eventLimitTypes = ['Server', 'Namespace', 'User', 'SourceAndObject'] as const;
