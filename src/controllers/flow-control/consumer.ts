import type { Client } from '../../client/index.js';
import { formatTime, goQuote } from '../../foundation/index.js';
import { FlowSchema, PriorityLevelConfiguration, type flowcontrolV1 } from '../../kinds/index.js';
import type { ObjectOf } from '../../registry/index.js';
import { isUsableLevel } from '../../server/index.js';
import type { ControllerHost } from '../runtime/controller-host.js';
import type { Controller } from '../runtime/controller.js';
import { orAbsent } from '../runtime/failures.js';
import { reconciler } from '../runtime/reconciler.js';
import { watched } from '../runtime/watch.js';

type Schema = ObjectOf<typeof FlowSchema>;
type Condition = flowcontrolV1.FlowSchemaCondition;

/** Field manager of the condition, as in Kubernetes. */
const FIELD_MANAGER = 'api-priority-and-fairness-config-consumer-v1';

const BY_LEVEL = 'byPriorityLevel';

/** Maximum writes of the status of one schema in {@link WINDOW_MS}, as in Kubernetes: servers may disagree about it. */
const MAX_WRITES = 6;
const WINDOW_MS = 60_000;

const levelOf = ({ spec }: Schema): string => spec?.priorityLevelConfiguration.name ?? '';
const byLevel = (schema: Schema): string[] => [levelOf(schema)];

/** Maintains the condition `Dangling` of flow schemas: whether their priority level does not exist. */
export function flowControlConsumer(host: ControllerHost): Controller {
  const { client, clock, informers } = host;
  const schemas = informers.of(FlowSchema);
  const levels = informers.of(PriorityLevelConfiguration);
  schemas.addIndex(BY_LEVEL, byLevel);
  /** Times of the latest writes by schema, in milliseconds since the epoch. */
  const writes = new Map<string, readonly number[]>();
  return reconciler(host, {
    name: 'priority-and-fairness-config-consumer',
    kind: FlowSchema,
    deleted: ({ metadata: { name = '' } }) => void writes.delete(name),
    watches: [
      watched(PriorityLevelConfiguration, { map: ({ metadata: { name = '' } }) => schemas.find(BY_LEVEL, name) }),
    ],
    async reconcile(schema, { key: name, requeueAfter }) {
      const level = levels.get(levelOf(schema));
      const wanted = conditionFor(levelOf(schema), level !== undefined && isUsableLevel(level));
      const known = schema.status?.conditions?.find(({ type }) => type === wanted.type);
      if (known !== undefined && isSame(known, wanted)) return;
      const now = clock.now();
      const recent = (writes.get(name) ?? []).filter((time) => time > now - WINDOW_MS);
      const [oldest = now] = recent;
      if (recent.length >= MAX_WRITES) {
        requeueAfter(oldest + WINDOW_MS - now);
        return;
      }
      writes.set(name, [...recent, now]);
      await write(client, name, { ...wanted, lastTransitionTime: formatTime(now) });
    },
  });
}

async function write(client: Client, name: string, condition: Condition): Promise<void> {
  const change = { metadata: { name }, status: { conditions: [condition] } };
  const owner = { subresource: 'status', fieldManager: FIELD_MANAGER, force: true };
  // The schema may be deleted meanwhile.
  await orAbsent(client.resource(FlowSchema).apply(change, owner));
}

function conditionFor(level: string, exists: boolean): Condition {
  const reference = `This FlowSchema references the PriorityLevelConfiguration object named ${goQuote(level)}`;
  return exists
    ? { type: 'Dangling', status: 'False', reason: 'Found', message: `${reference} and it exists` }
    : { type: 'Dangling', status: 'True', reason: 'NotFound', message: `${reference} but there is no such object` };
}

const isSame = (a: Condition, b: Condition): boolean =>
  a.status === b.status && a.reason === b.reason && a.message === b.message;
