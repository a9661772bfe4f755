import { NOTIFICATIONS, OUTCOMES, type History } from './history.js';

/** Returns how many operations of a history had which outcome, and how many notifications its watches received. */
export function summaryOf(history: History): string {
  const outcomes = new Map<string, number>();
  const count = (name: string): void => void outcomes.set(name, (outcomes.get(name) ?? 0) + 1);
  for (const { outcome } of history.operations()) count(outcome);
  const watches = history.watches();
  for (const { notifications } of watches)
    for (const { kind } of notifications) count(kind === 'compacted' || kind === 'failed' ? `watch ${kind}` : kind);
  const names = [...OUTCOMES, ...NOTIFICATIONS, 'watch compacted', 'watch failed'];
  const parts = [...new Set(names)].flatMap((name) => (outcomes.has(name) ? `${name} ${outcomes.get(name)}` : []));
  return `${history.length} operations, ${watches.length} watches: ${parts.join(', ')}`;
}
