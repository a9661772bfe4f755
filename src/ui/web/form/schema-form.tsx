import { useRef } from 'preact/hooks';
import type { Problem, ValuePath } from '../data/check-schema.js';
import { isMap } from '../data/guards.js';
import { resolved, type KindSchema } from '../data/schema.js';
import { Members } from './members.js';
import { keyOf, type FormContext } from './form-context.js';

/** Parts of every object that are not entered: the server sets them, or they say which object it is. */
const SET_BY_SERVER = [
  ...['uid', 'resourceVersion', 'generation', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'],
  ...['managedFields', 'selfLink'],
].map((name) => keyOf(['metadata', name]));
const NOT_ENTERED = [['apiVersion'], ['kind'], ['status']].map(keyOf);
const FIXED = ['name', 'namespace', 'generateName'].map((name) => keyOf(['metadata', name]));

/** An object to enter. */
export interface SchemaFormProps {
  readonly schema: KindSchema;
  readonly value: unknown;
  /** Objections of the schema to the value. */
  readonly problems: readonly Problem[];
  /** Whether the object exists: then its name stays. */
  readonly exists: boolean;
  /** Sets the value at a place; undefined removes it. */
  readonly onSet: (path: ValuePath, value: unknown) => void;
}

/** The fields of an object by the schema of its kind: those that it has, those that it must have, and others to add. */
export function SchemaForm({ schema: { own, all }, value, problems, exists, onSet }: SchemaFormProps) {
  const added = useRef<string | undefined>(undefined);
  const hidden = new Set([...SET_BY_SERVER, ...NOT_ENTERED, ...(exists ? FIXED : [])]);
  const form: FormContext = { all, hidden, added, set: onSet, problems: byPlace(problems) };
  if (!isMap(value)) return <p class="muted">An object is a map of fields.</p>;
  return (
    <div class="form">
      <Members form={form} path={[]} schema={resolved(own, all)} value={value} />
    </div>
  );
}

function byPlace(problems: readonly Problem[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { path, message } of problems) {
    const key = keyOf(path);
    const there = found.get(key);
    if (there === undefined) found.set(key, [message]);
    else there.push(message);
  }
  return found;
}
