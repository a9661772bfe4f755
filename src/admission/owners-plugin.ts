/**
 * Admission plugins of the server's owner get copies: what they write to an old object, or to a valid one, changes
 * nothing. A mutating plugin changes a draft, which becomes the new object when it has ended.
 *
 * @module
 */
import {
  definedOnly,
  equalInSlices,
  isJsonObject,
  whenReady,
  type ApiObject,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
  type Work,
} from '../foundation/index.js';
import { cloneInSlices } from '../machinery/index.js';
import {
  handed,
  handedPair,
  isLong,
  withCopies,
  type AdmissionAttributes,
  type AdmissionPlugin,
  type Mutated,
} from '../registry/index.js';

/** Returns a plugin of the server's owner as the chain runs it. */
export function ownersPlugin(plugin: AdmissionPlugin): AdmissionPlugin {
  const mutate = plugin.mutate?.bind(plugin);
  const validate = plugin.validate?.bind(plugin);
  return {
    ...{ name: plugin.name, operations: plugin.operations },
    ...definedOnly({ kinds: plugin.kinds }),
    ...(mutate === undefined
      ? {}
      : { mutate: (attributes: AdmissionAttributes, round: 0 | 1) => mutating(mutate, attributes, round) }),
    ...(validate === undefined
      ? {}
      : { validate: (attributes: AdmissionAttributes) => validating(validate, attributes) }),
  };
}

/** Lets a plugin change a draft of the new object. */
function mutating(
  mutate: NonNullable<AdmissionPlugin['mutate']>,
  attributes: AdmissionAttributes,
  round: 0 | 1,
): Mutated | Promise<Mutated> {
  const { object, oldObject, context } = attributes;
  const entries = object?.metadata.managedFields;
  return withCopies(context, oldObject, undefined, (old) =>
    whenReady(entriesOf(attributes), (copied) => {
      // Entries are shared by many objects.
      const draft = object && { ...object, metadata: { ...object.metadata, ...copied } };
      const changed = mutate({ ...attributes, ...copiedOptions(attributes), object: draft, oldObject: old }, round);
      return whenReady(changed, (result) =>
        object === undefined || draft === undefined
          ? result
          : whenReady(adopt(object, draft, entries, context.work), () => result),
      );
    }),
  );
}

function entriesOf({ object, context }: AdmissionAttributes): object | Promise<object> {
  const managedFields = object?.metadata.managedFields;
  if (managedFields === undefined) return {};
  return cloneInSlices({ managedFields }, context.work);
}

/** Makes what a draft contains the content of an object. The plugin may keep the draft, so the object gets copies. */
function adopt(object: ApiObject, draft: ApiObject, entries: Entries, work: Work | undefined): void | Promise<void> {
  return whenReady(cloneInSlices(draft as JsonObject, work), (copy) => {
    const before = { entries: entries as JsonValue | undefined };
    const same = entries !== undefined && equalInSlices(work, { entries: ownedBy(copy) }, before);
    return whenReady(same, (isSame) => {
      const target = object as JsonObject as MutableJsonObject;
      for (const name of Object.keys(target)) if (!Object.hasOwn(copy, name)) delete target[name];
      Object.assign(target, copy);
      // They keep their identity, by which the next write finds them decoded.
      if (isSame && entries !== undefined) object.metadata.managedFields = entries;
    });
  });
}

type Entries = ApiObject['metadata']['managedFields'];

/** Returns the entries of a copy; undefined without any. */
const ownedBy = ({ metadata }: JsonObject): JsonValue | undefined =>
  isJsonObject(metadata) ? metadata['managedFields'] : undefined;

const copiedOptions = ({ deleteOptions }: AdmissionAttributes): Pick<AdmissionAttributes, 'deleteOptions'> => ({
  deleteOptions: deleteOptions && { ...deleteOptions },
});

/** Lets a plugin check copies. Small ones are made when it first reads them. */
function validating(
  validate: NonNullable<AdmissionPlugin['validate']>,
  attributes: AdmissionAttributes,
): void | Promise<void> {
  const { object, oldObject, context } = attributes;
  if (isLong(object, oldObject, context))
    return whenReady(handedPair(object, oldObject, context), ([one, old]) =>
      validate({ ...attributes, ...copiedOptions(attributes), object: one, oldObject: old }),
    );
  let one: typeof object;
  let old: typeof oldObject;
  return validate({
    ...attributes,
    ...copiedOptions(attributes),
    get object() {
      return (one ??= handed(object, context));
    },
    get oldObject() {
      return (old ??= handed(oldObject, context));
    },
  });
}
