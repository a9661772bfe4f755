/**
 * The specified behaviour of an object store, in its plainest form: a map of the objects, and a list of events.
 *
 * @module
 */

/** The kinds of the model. */
export type ModelKind = 'ConfigMap' | 'Widget';

/** An object in the model. `value` is the data of a ConfigMap, the colour of a Widget. */
export interface ModelObject {
  readonly kind: ModelKind;
  readonly namespace: string;
  readonly name: string;
  readonly app: string;
  readonly value: string;
  readonly phase: string;
  readonly held: boolean;
  readonly ending: boolean;
  /** 0 for a kind without a generation. */
  readonly generation: number;
  readonly version: number;
}

/** One write. */
export interface ModelEvent {
  readonly revision: number;
  readonly before: ModelObject | undefined;
  readonly after: ModelObject | undefined;
}

/** The objects that a list or watch is about. */
export interface ModelScope {
  readonly kind: ModelKind;
  /** Empty: all. */
  readonly namespace: string;
  readonly selector: string;
}

/** Selectors that the model supports, in query syntax. */
export const selectors: Readonly<
  Record<string, { readonly parameters: object; matches(object: ModelObject): boolean }>
> = {
  none: { parameters: {}, matches: () => true },
  app: { parameters: { labelSelector: 'app=x' }, matches: ({ app }) => app === 'x' },
  notApp: { parameters: { labelSelector: 'app!=x' }, matches: ({ app }) => app !== 'x' },
  name: { parameters: { fieldSelector: 'metadata.name=a' }, matches: ({ name }) => name === 'a' },
  color: {
    parameters: { fieldSelector: 'spec.color=red,metadata.name!=b' },
    matches: ({ value, name }) => value === 'red' && name !== 'b',
  },
};

const keyOf = ({ kind, namespace, name }: Pick<ModelObject, 'kind' | 'namespace' | 'name'>): string =>
  `${kind}/${namespace}/${name}`;

const isIn = (scope: ModelScope, object: ModelObject): boolean =>
  object.kind === scope.kind && (scope.namespace === '' || object.namespace === scope.namespace);

const matches = (scope: ModelScope, object: ModelObject | undefined): boolean =>
  object !== undefined && isIn(scope, object) && (selectors[scope.selector]?.matches(object) ?? false);

/** The model of a store. */
export class StoreModel {
  readonly objects = new Map<string, ModelObject>();
  readonly events: ModelEvent[] = [];
  readonly first: number;
  revision: number;
  compacted = 0;

  constructor(revision: number) {
    this.first = revision;
    this.revision = revision;
  }

  get(kind: ModelKind, namespace: string, name: string): ModelObject | undefined {
    return this.objects.get(keyOf({ kind, namespace, name }));
  }

  /** Records a write. */
  write(before: ModelObject | undefined, make: (revision: number) => ModelObject | undefined): ModelObject | undefined {
    this.revision += 1;
    const after = make(this.revision);
    const changed = after ?? before;
    if (changed === undefined) throw new Error('a write has an object before or after it');
    if (after === undefined) this.objects.delete(keyOf(changed));
    else this.objects.set(keyOf(changed), after);
    this.events.push({ revision: this.revision, before, after });
    return after;
  }

  /** Every object of a scope, selected or not, at a revision, in list order. */
  at(scope: ModelScope, revision: number): ModelObject[] {
    const state = new Map<string, ModelObject>();
    for (const event of this.events) {
      if (event.revision > revision) break;
      const object = event.after ?? event.before;
      if (object === undefined || !isIn(scope, object)) continue;
      if (event.after === undefined) state.delete(keyOf(object));
      else state.set(keyOf(object), event.after);
    }
    return [...state.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  }

  /** The events of a watch of a scope after a revision, as text. */
  after(scope: ModelScope, revision: number): string[] {
    const reported: string[] = [];
    for (const { revision: at, before, after } of this.events) {
      if (at <= revision) continue;
      const was = matches(scope, before);
      const is = matches(scope, after);
      if (is && after !== undefined) reported.push(`${was ? 'MODIFIED' : 'ADDED'} ${inWords(after)}`);
      else if (was && before !== undefined) reported.push(`DELETED ${inWords({ ...before, version: at })}`);
    }
    return reported;
  }

  /** The contents of a list of a scope, and whether more follows. */
  page(
    scope: ModelScope,
    revision: number,
    behind: string,
    limit: number,
  ): { items: string[]; more: boolean; remaining: number | undefined; last: string } {
    const all = this.at(scope, revision).filter((object) => keyOf(object) > behind);
    const items: string[] = [];
    let index = 0;
    let last = behind;
    for (; index < all.length && (limit === 0 || items.length < limit); index += 1) {
      const object = all[index];
      if (object === undefined || !matches(scope, object)) continue;
      items.push(inWords(object));
      last = keyOf(object);
    }
    const more = index < all.length;
    return { items, more, remaining: more && scope.selector === 'none' ? all.length - index : undefined, last };
  }
}

/** Everything that the model has about an object, in one line. */
export function inWords({
  kind,
  namespace,
  name,
  app,
  value,
  phase,
  held,
  ending,
  generation,
  version,
}: ModelObject): string {
  return [
    `${kind} ${namespace}/${name}@${version}`,
    `app=${app}`,
    `value=${value}`,
    `phase=${phase}`,
    held ? 'held' : '',
    ending ? 'ending' : '',
    `generation=${generation}`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}
