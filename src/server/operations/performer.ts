import { withCopies, type Perform, type ResourceDefinition, type ResourceInfo } from '../../registry/index.js';

/** Returns the operation of a virtual kind. @throws TypeError when it has none */
export function performerOf(
  { definition }: ResourceInfo,
  performers: ReadonlyMap<ResourceDefinition, Perform>,
): Perform {
  const perform = (definition.perform && ownersPerform(definition.perform)) ?? performers.get(definition);
  if (perform === undefined)
    throw new TypeError(`${definition.kind} is a virtual kind without an operation: its definition needs "perform"`);
  return perform;
}

/** Returns the operation of a kind of the server's owner: its target is a copy. */
const ownersPerform =
  (perform: Perform): Perform =>
  (object, request) =>
    withCopies(request.context, request.target, undefined, (target) => perform(object, { ...request, target }));
