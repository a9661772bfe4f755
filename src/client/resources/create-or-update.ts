import { ApiError, cloneJson, equalJson, type JsonObject } from '../../foundation/index.js';

/** The result of a `createOrUpdate`. */
export interface CreateOrUpdateResult<Item> {
  /** The object as stored. */
  readonly object: Item;
  readonly outcome: 'created' | 'updated' | 'unchanged';
}

/** The verbs that it takes. */
interface Verbs<Item, Input> {
  get(): Promise<Item>;
  create(object: Input): Promise<Item>;
  update(object: Item): Promise<Item>;
}

const NOT_FOUND = 404;
const CONFLICT = 409;
/** Number of attempts while others write the object. */
const ATTEMPTS = 10;

/** Creates an object, or changes the existing one. @throws ApiError 409 when others change it again and again */
export async function createOrUpdate<Item, Input>(
  { get, create, update }: Verbs<Item, Input>,
  object: Input,
  change: (current: Item) => void,
): Promise<CreateOrUpdateResult<Item>> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const current = await get().catch(unlessMissing);
      if (current === undefined) {
        const made = cloneJson(object as JsonObject);
        change(made as Item);
        return { object: await create(made as Input), outcome: 'created' };
      }
      const changed = copyOf(current);
      change(changed);
      return isSame(current, changed)
        ? { object: current, outcome: 'unchanged' }
        : { object: await update(changed), outcome: 'updated' };
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== CONFLICT || attempt === ATTEMPTS) throw error;
    }
  }
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof ApiError && error.code === NOT_FOUND) return undefined;
  throw error;
}

const copyOf = <Value>(value: Value): Value => cloneJson(value as JsonObject) as Value;

const isSame = (a: unknown, b: unknown): boolean => equalJson(a as JsonObject, b as JsonObject);
