import { duplicate, FieldErrorList, invalid, qualifiedName, required, type Steps } from '../../../foundation/index.js';
import type { Strategy } from '../../../registry/index.js';
import type { storageV1 } from '../../types/index.js';
import type { Behaviour, StoredKind } from '../behaviour.js';
import { validateDriverName } from '../core/persistent-volume/validate-sources.js';
import { immutableField, nonNegative } from '../shared/validate.js';

type Driver = storageV1.CSINodeDriver;

const MAX_NODE_ID = 256;

function* validateDriver(errors: FieldErrorList, path: string, driver: Driver, seen: Set<string>): Steps<void> {
  const { name, nodeID, allocatable } = driver;
  const topologyKeys = driver.topologyKeys ?? [];
  validateDriverName(errors, `${path}.name`, name);
  if (nodeID === '') errors.push(required(`${path}.nodeID`));
  if (nodeID.length > MAX_NODE_ID)
    errors.push(invalid(`${path}.nodeID`, nodeID, `must be ${MAX_NODE_ID} characters or less`));
  nonNegative(errors, `${path}.allocatable.count`, allocatable?.count);
  if (seen.has(name)) errors.push(duplicate(`${path}.name`, name));
  seen.add(name);
  // Kubernetes reports the path of the driver for its keys.
  const known = new Set<string>();
  for (const key of topologyKeys) {
    if (errors.spend()) yield;
    if (key === '') errors.push(required(path));
    if (known.has(key)) errors.push(duplicate(path, key));
    known.add(key);
    for (const problem of qualifiedName(key)) errors.push(invalid(path, key, problem));
  }
}

const strategy: Strategy<StoredKind<storageV1.CSINode>> = {
  allowUnconditionalUpdate: false,
  *validate({ spec }, { work }) {
    const errors = new FieldErrorList(work);
    const seen = new Set<string>();
    for (const [index, driver] of (spec.drivers ?? []).entries()) {
      if (errors.spend()) yield;
      yield* validateDriver(errors, `spec.drivers[${index}]`, driver, seen);
    }
    return errors;
  },
  *validateUpdate({ spec }, old, { work }) {
    const errors = new FieldErrorList(work);
    const drivers = new Map<string, Driver>();
    for (const driver of spec.drivers ?? []) {
      if (errors.spend()) yield;
      drivers.set(driver.name, driver);
    }
    for (const before of old.spec.drivers ?? []) {
      if (errors.spend()) yield;
      const driver = drivers.get(before.name);
      if (driver !== undefined) immutableField(errors, 'spec.drivers', { ...driver }, { ...before });
    }
    return errors;
  },
};

/** The behaviour of CSINodes. */
export const csiNodeBehaviour: Behaviour<storageV1.CSINode> = {
  strategy,
  cells: { Drivers: ({ spec }) => (spec.drivers ?? []).length },
};
