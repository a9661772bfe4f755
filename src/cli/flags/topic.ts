import type { Flags } from './flag.js';

/** Title of the flags without a topic, which come first. */
const GENERAL = 'Flags';

/** Returns the flags of a table with a topic, under which the help text lists them. */
export function topic<Table extends Flags>(name: string, table: Table): Table {
  const entries = Object.entries(table).map(([flag, value]) => [flag, { ...value, topic: name }]);
  // The entries keep the names and types of the table.
  return Object.fromEntries(entries) as Table;
}

/** Returns the flags by topic: first those without one, then the topics in the order of their first flags. */
export function byTopic(flags: Flags): ReadonlyMap<string, Flags> {
  const topics = new Map<string, [name: string, flag: Flags[string]][]>([[GENERAL, []]]);
  for (const [name, flag] of Object.entries(flags)) {
    const title = flag.topic ?? GENERAL;
    const entries = topics.get(title) ?? [];
    entries.push([name, flag]);
    topics.set(title, entries);
  }
  return new Map(
    [...topics]
      .filter(([, entries]) => entries.length > 0)
      .map(([title, entries]) => [title, Object.fromEntries(entries)]),
  );
}
