/** The properties that the events of one limit have in common. */
export const eventLimitTypes = ['Server', 'Namespace', 'User', 'SourceAndObject'] as const;
