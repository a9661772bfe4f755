/** Random objects of random custom kinds: whichever verb makes an object of another one, the result is the same. */
import { expect, test } from 'vitest';
import {
  cloneJson,
  equalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../src/foundation/json/json.js';
import { definition, DEFINITIONS, world, type Answer, type World } from '../../kinds/builtin/apiextensions/world.js';
import { Chance } from './chance.js';
import { DefinitionMaker } from './definitions.js';

const SEED = Number(process.env['FUZZ_SEED'] ?? 1);
/** Definitions of which objects are written. */
const KINDS = Math.ceil(Number(process.env['FUZZ_DEFINITIONS'] ?? 5_000) / 400);
const PAIRS = 6;

/** The members of an object that its author wrote, and defaults. */
function fieldsOf(answer: Answer): JsonObject {
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...fields } = answer.body as JsonObject;
  return fields;
}

/** Returns the merge patch (RFC 7386) that makes a value of another one. */
function mergePatch(from: JsonObject, to: JsonObject): JsonObject {
  const changes: [string, JsonValue | undefined][] = Object.keys(from)
    .filter((name) => !Object.hasOwn(to, name))
    .map((name) => [name, null]);
  for (const [name, value] of Object.entries(to)) {
    const before = Object.hasOwn(from, name) ? from[name] : undefined;
    if (equalJson(before, value)) continue;
    changes.push([name, isJsonObject(before) && isJsonObject(value) ? mergePatch(before, value) : value]);
  }
  return Object.fromEntries(changes);
}

const pointer = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** Returns the operations (RFC 6902) that replace all members. */
const jsonPatch = (from: JsonObject, to: JsonObject): object[] => [
  ...Object.keys(from).map((name) => ({ op: 'remove', path: pointer(name) })),
  ...Object.entries(to).map(([name, value]) => ({ op: 'add', path: pointer(name), value })),
];

/** A merge patch cannot set null. */
const hasNull = (value: JsonValue | undefined): boolean =>
  value === null || (typeof value === 'object' && Object.values(value).some((member) => hasNull(member)));

/** The errors of an answer, without the name of the object. */
const refusal = ({ status, body }: Answer, name: string): unknown => [
  status,
  String(body['message']).replaceAll(`"${name}"`, '"…"'),
];

class Kind {
  readonly #world: World;
  readonly #plural: string;
  #count = 0;

  constructor(made: World, plural: string) {
    this.#world = made;
    this.#plural = plural;
  }

  /** Creates an object with a name of its own; undefined when it is refused. */
  async create(fields: JsonObject): Promise<{ readonly name: string; readonly answer: Answer } | undefined> {
    const name = `o${(this.#count += 1)}`;
    const answer = await this.#world.send('POST', this.#path(), this.#whole(name, fields));
    return answer.status === 201 ? { name, answer } : undefined;
  }

  replace = (name: string, fields: JsonObject, resourceVersion: unknown): Promise<Answer> =>
    this.#world.send('PUT', this.#path(name), this.#whole(name, fields, { resourceVersion }));

  patch = (name: string, type: string, patch: object): Promise<Answer> =>
    this.#world.send('PATCH', this.#path(name), patch, { 'content-type': `application/${type}` });

  /** Applies an object that does not exist. */
  async apply(fields: JsonObject): Promise<{ readonly name: string; readonly answer: Answer }> {
    const name = `o${(this.#count += 1)}`;
    const path = `${this.#path(name)}?fieldManager=fuzz`;
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    return { name, answer: await this.#world.send('PATCH', path, this.#whole(name, fields), headers) };
  }

  #path(name?: string): string {
    const base = `/apis/example.com/v1/namespaces/default/${this.#plural}`;
    return name === undefined ? base : `${base}/${name}`;
  }

  #whole(name: string, fields: JsonObject, metadata: object = {}): object {
    return { ...fields, apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name, ...metadata } };
  }
}

/** Makes an object of another one by each verb. Returns whether it was accepted. */
async function compare(seed: number, kind: Kind, one: JsonObject, other: JsonObject): Promise<boolean | undefined> {
  const made = [await kind.create(one), await kind.create(one), await kind.create(one)];
  const [replaced, operated, merged] = made;
  if (replaced === undefined || operated === undefined || merged === undefined) return undefined;
  const before = fieldsOf(replaced.answer);
  const metadata = replaced.answer.body['metadata'] as JsonObject;
  const put = await kind.replace(replaced.name, other, metadata['resourceVersion']);
  const operations = await kind.patch(operated.name, 'json-patch+json', jsonPatch(before, other));
  if (put.status !== 200) {
    expect({ seed, refused: refusal(operations, operated.name) }).toEqual({
      seed,
      refused: refusal(put, replaced.name),
    });
    return false;
  }
  const wanted = fieldsOf(put);
  expect({ seed, patched: fieldsOf(operations) }).toEqual({ seed, patched: wanted });
  if (!hasNull(wanted)) {
    const patched = await kind.patch(merged.name, 'merge-patch+json', mergePatch(before, wanted));
    expect({ seed, merged: fieldsOf(patched) }).toEqual({ seed, merged: wanted });
  }
  const created = await kind.create(wanted);
  const applied = await kind.apply(wanted);
  if (created !== undefined)
    expect({ seed, applied: fieldsOf(applied.answer) }).toEqual({ seed, applied: fieldsOf(created.answer) });
  return true;
}

test(
  `objects of ${KINDS} kinds of seed ${SEED} are the same by every verb`,
  async () => {
    await using made = await world({}, { withControllers: true });
    const counts = { accepted: 0, refused: 0 };
    let kinds = 0;
    for (let seed = SEED * 1_000_000; kinds < KINDS; seed += 1) {
      const maker = new DefinitionMaker(new Chance(seed));
      const schema = maker.schema();
      const plural = `things${seed}`;
      const names = { plural, kind: 'Thing', listKind: 'ThingList' };
      const metadata = { name: `${plural}.example.com` };
      const defined = await made.send('POST', DEFINITIONS, definition({ metadata, names, schema }));
      if (defined.status !== 201) continue;
      kinds += 1;
      await made.test.settled();
      const kind = new Kind(made, plural);
      for (let pair = 0; pair < PAIRS; pair += 1) {
        const [one, other] = [cloneJson(maker.object(schema)), cloneJson(maker.object(schema))];
        const accepted = await compare(seed, kind, one, other);
        if (accepted !== undefined) counts[accepted ? 'accepted' : 'refused'] += 1;
      }
      await made.send('DELETE', `${DEFINITIONS}/${plural}.example.com`);
      await made.test.settled();
    }
    expect(counts.accepted).toBeGreaterThan(KINDS / 10);
    expect(counts.refused).toBeGreaterThan(KINDS / 10);
  },
  600_000 + 1000 * KINDS,
);
