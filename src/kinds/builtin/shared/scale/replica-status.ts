import { FieldErrorList, invalid, type FieldError } from '../../../../foundation/index.js';
import { nonNegative } from '../validate.js';

/** Message for a count of pods that exceeds the number of all pods. */
const MORE_THAN_ALL = 'cannot be greater than status.replicas';

/** Counts of pods in a status, by field. */
export type Counts = Readonly<Record<string, number | undefined>>;

/** Requires counts that are not negative. */
export function countErrors(errors: FieldError[], counts: Counts): void {
  for (const [field, count] of Object.entries(counts)) nonNegative(errors, `status.${field}`, count);
}

/** Requires counts of at most `replicas`. */
export function atMostReplicas(errors: FieldError[], replicas: number | undefined, counts: Counts): void {
  for (const [field, count = 0] of Object.entries(counts))
    if (count > (replicas ?? 0)) errors.push(invalid(`status.${field}`, count, MORE_THAN_ALL));
}

/** Requires at most as many available pods as ready ones. `readyField` is how the message names the ready ones. */
export function availableAreReady(
  errors: FieldError[],
  {
    availableReplicas = 0,
    readyReplicas = 0,
  }: { availableReplicas?: number | undefined; readyReplicas?: number | undefined },
  readyField = 'readyReplicas',
): void {
  if (availableReplicas > readyReplicas)
    errors.push(invalid('status.availableReplicas', availableReplicas, `cannot be greater than ${readyField}`));
}

/** Requires that the number of name collisions does not decrease. */
export function collisionsGrow(errors: FieldError[], count: number | undefined, old: number | undefined): void {
  if (old !== undefined && (count === undefined || count < old))
    errors.push(invalid('status.collisionCount', count ?? 0, 'cannot be decremented'));
}

/** The status of a ReplicaSet or ReplicationController. */
interface ReplicaStatus {
  readonly replicas: number;
  readonly fullyLabeledReplicas?: number | undefined;
  readonly readyReplicas?: number | undefined;
  readonly availableReplicas?: number | undefined;
  readonly observedGeneration?: number | undefined;
}

/** Returns the errors of the status of a ReplicaSet or ReplicationController. */
export function validateReplicaStatus(status: ReplicaStatus = { replicas: 0 }): FieldError[] {
  const errors = new FieldErrorList();
  const { replicas, fullyLabeledReplicas, readyReplicas, availableReplicas, observedGeneration } = status;
  const parts = { fullyLabeledReplicas, readyReplicas, availableReplicas };
  countErrors(errors, { replicas, ...parts, observedGeneration });
  atMostReplicas(errors, replicas, parts);
  availableAreReady(errors, status);
  return errors;
}
