import { formatTime, goQuote } from '../../foundation/index.js';
import { FlowSchema, PriorityLevelConfiguration, type flowcontrolV1 } from '../../kinds/index.js';
import type { ObjectOf } from '../../registry/index.js';
import { isUsableLevel } from '../../server/index.js';
import type { Controller } from '../runtime/controller.js';
import { hasReason } from '../runtime/failures.js';
import { WorkQueue } from '../runtime/work-queue.js';
import type { FlowControlOptions } from './producer.js';

type Schema = ObjectOf<typeof FlowSchema>;
type Level = ObjectOf<typeof PriorityLevelConfiguration>;
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
export function flowControlConsumer({ client, clock, informers, onError }: FlowControlOptions): Controller {
  const schemas = informers.of(FlowSchema);
  const levels = informers.of(PriorityLevelConfiguration);
  schemas.addIndex(BY_LEVEL, byLevel);
  /** Times of the latest writes by schema, in milliseconds since the epoch. */
  const writes = new Map<string, readonly number[]>();
  const queue = new WorkQueue<string>({ clock, process, onError: (_name, error) => onError(error) });
  const enqueue = ({ metadata: { name = '' } }: Schema): void => void queue.add(name);
  const enqueueThoseOf = ({ metadata: { name = '' } }: Level): void => {
    for (const schema of schemas.find(BY_LEVEL, name)) enqueue(schema);
  };
  schemas.subscribe({
    added: enqueue,
    updated: enqueue,
    deleted: ({ metadata: { name = '' } }) => void writes.delete(name),
  });
  levels.subscribe({ added: enqueueThoseOf, updated: enqueueThoseOf, deleted: enqueueThoseOf });

  async function process(name: string): Promise<void> {
    const schema = schemas.get(name);
    if (schema === undefined) return;
    const level = levels.get(levelOf(schema));
    const wanted = conditionFor(levelOf(schema), level !== undefined && isUsableLevel(level));
    const present = schema.status?.conditions?.find(({ type }) => type === wanted.type);
    if (present !== undefined && isSame(present, wanted)) return;
    const now = clock.now();
    const recent = (writes.get(name) ?? []).filter((time) => time > now - WINDOW_MS);
    const [oldest = now] = recent;
    if (recent.length >= MAX_WRITES) {
      queue.addAfter(name, oldest + WINDOW_MS - now);
    } else {
      writes.set(name, [...recent, now]);
      await write(name, { ...wanted, lastTransitionTime: formatTime(now) });
    }
  }

  async function write(name: string, condition: Condition): Promise<void> {
    try {
      await client
        .resource(FlowSchema)
        .apply(
          { metadata: { name }, status: { conditions: [condition] } },
          { subresource: 'status', fieldManager: FIELD_MANAGER, force: true },
        );
    } catch (error) {
      // The schema was deleted meanwhile.
      if (!hasReason(error, 'NotFound')) throw error;
    }
  }

  return { name: 'priority-and-fairness-config-consumer', informers: () => [schemas, levels], queues: [queue] };
}

function conditionFor(level: string, exists: boolean): Condition {
  const reference = `This FlowSchema references the PriorityLevelConfiguration object named ${goQuote(level)}`;
  return exists
    ? { type: 'Dangling', status: 'False', reason: 'Found', message: `${reference} and it exists` }
    : { type: 'Dangling', status: 'True', reason: 'NotFound', message: `${reference} but there is no such object` };
}

const isSame = (present: Condition, wanted: Condition): boolean =>
  present.status === wanted.status && present.reason === wanted.reason && present.message === wanted.message;
