import { equalJson, formatQuantity, formatTime, messageOf } from '../../foundation/index.js';
import { HorizontalPodAutoscaler, Pod, type autoscalingV1, type autoscalingV2 } from '../../kinds/index.js';
import { LabelSelector } from '../../machinery/index.js';
import type { ObjectOf } from '../../registry/index.js';
import type { Controller } from '../runtime/controller.js';
import { hasReason } from '../runtime/failures.js';
import { byNamespace, objectKey } from '../runtime/informer-cache.js';
import type { ServedKind, ServedKinds } from '../runtime/served-kinds.js';
import { WorkQueue, type WorkResult } from '../runtime/work-queue.js';
import type { WorkloadOptions } from '../workloads/shared/workload-options.js';
import { withCondition, type AutoscalerStatus } from './conditions.js';
import { failureOf, MetricFailure } from './metric-failure.js';
import { paced, ScalingHistory } from './pace.js';
import { measuredUsage, targetOf, type MeasuredResource } from './pod-usage.js';
import { recommendedReplicas } from './replica-count.js';

/** Options of {@link horizontalAutoscaler}. */
export interface HorizontalAutoscalerOptions extends WorkloadOptions {
  readonly kinds: ServedKinds;
}

type Autoscaler = ObjectOf<typeof HorizontalPodAutoscaler>;

/** Time between two looks at a target, in milliseconds, as in Kubernetes. */
const SYNC_MS = 15_000;
/** The longest time that a behaviour may look back, in milliseconds. */
const LONGEST_MS = 3_600_000;

/** The number of pods that all metrics together ask for. */
interface Wanted {
  readonly replicas: number;
  /** The metric that asks for the most. */
  readonly metric: string;
  readonly statuses: autoscalingV2.MetricStatus[];
}

/**
 * Scales targets by what their pods use of processor time and memory.
 *
 * @see release 1.31, `pkg/controller/podautoscaler`
 */
export function horizontalAutoscaler(options: HorizontalAutoscalerOptions): Controller {
  const { client, clock, dialect, informers, kinds, recorder, onError } = options;
  const events = recorder.of('horizontal-pod-autoscaler');
  const autoscalers = informers.of(HorizontalPodAutoscaler);
  const pods = informers.of(Pod);
  pods.addIndex('byNamespace', byNamespace);
  const histories = new Map<string, ScalingHistory>();
  const queue = new WorkQueue<string>({
    name: 'horizontalpodautoscaler',
    clock,
    process,
    onError: (_key, error) => onError(error),
  });
  autoscalers.subscribe({
    added: (autoscaler) => queue.add(objectKey(autoscaler)),
    updated: (autoscaler, old) => {
      if (!equalJson({ ...autoscaler.spec }, { ...old.spec })) queue.add(objectKey(autoscaler));
    },
    deleted: (autoscaler) => histories.delete(objectKey(autoscaler)),
  });

  async function process(key: string): Promise<WorkResult> {
    const autoscaler = autoscalers.get(key);
    if (autoscaler === undefined) return;
    queue.addAfter(key, SYNC_MS);
    const status = await reconcile(key, autoscaler);
    try {
      if (!equalJson({ ...status }, { ...autoscaler.status }))
        await client.resource(HorizontalPodAutoscaler).updateStatus({ ...autoscaler, status });
    } catch (error) {
      if (hasReason(error, 'Conflict')) return 'retry';
      if (!hasReason(error, 'NotFound')) throw error;
    }
  }

  async function reconcile(key: string, autoscaler: Autoscaler): Promise<AutoscalerStatus> {
    const now = formatTime(clock.now());
    const before: AutoscalerStatus = { desiredReplicas: 0, ...autoscaler.status };
    const fail = (reason: string, what: string, error: unknown): AutoscalerStatus => {
      const message = `${what}: ${messageOf(error)}`;
      events.event(autoscaler, 'Warning', reason, messageOf(error));
      return withCondition(before, ['AbleToScale', 'False', reason, message], now);
    };
    let target: { readonly kind: ServedKind; readonly scale: autoscalingV1.Scale };
    try {
      target = await targetOfAutoscaler(autoscaler);
    } catch (error) {
      return fail('FailedGetScale', "the HPA controller was unable to get the target's current scale", error);
    }
    const able = withCondition(
      before,
      ['AbleToScale', 'True', 'SucceededGetScale', "the HPA controller was able to get the target's current scale"],
      now,
    );
    const current = target.scale.spec?.replicas ?? 0;
    const decided = await decide(key, autoscaler, target.scale, able, now);
    const status = { ...decided.status, currentReplicas: target.scale.status?.replicas ?? 0 };
    if (decided.replicas === undefined) return status;
    const counted = { ...status, desiredReplicas: decided.replicas };
    if (decided.replicas === current) return counted;
    try {
      const { namespace = '' } = autoscaler.metadata;
      const { name = '' } = autoscaler.spec?.scaleTargetRef ?? {};
      const patch = { spec: { replicas: decided.replicas } };
      await target.kind.client
        .namespace(namespace)
        .patch(name, patch as never, { type: 'merge', subresource: 'scale' });
    } catch (error) {
      return fail('FailedUpdateScale', 'the HPA controller was unable to update the target scale', error);
    }
    historyOf(key).changed(decided.replicas - current, clock.now(), LONGEST_MS);
    const text = `New size: ${decided.replicas}; reason: ${decided.reason}`;
    events.event(autoscaler, 'Normal', 'SuccessfulRescale', text);
    const message = `the HPA controller was able to update the target scale to ${decided.replicas}`;
    return withCondition({ ...counted, lastScaleTime: now }, ['AbleToScale', 'True', 'SucceededRescale', message], now);
  }

  async function targetOfAutoscaler({ metadata: { namespace = '' }, spec }: Autoscaler) {
    const { apiVersion = '', kind: kindName = '', name = '' } = spec?.scaleTargetRef ?? {};
    const kind = kinds.find(apiVersion, kindName);
    if (kind === undefined)
      throw new Error(`no matches for kind "${kindName}" in group "${apiVersion.split('/')[0] ?? ''}"`);
    const shown = kind.definition.subresources?.['scale'];
    if (shown === undefined || !('show' in shown)) throw new Error(`${kind.resource} has no subresource scale`);
    const object = await kind.client.namespace(namespace).get(name);
    return { kind, scale: shown.show(object, false) as autoscalingV1.Scale };
  }

  interface Decision {
    readonly status: AutoscalerStatus;
    /** Undefined when nothing can be decided. */
    readonly replicas: number | undefined;
    readonly reason: string;
  }

  async function decide(
    key: string,
    autoscaler: Autoscaler,
    scale: autoscalingV1.Scale,
    status: AutoscalerStatus,
    now: string,
  ): Promise<Decision> {
    const { minReplicas: min = 1, maxReplicas: max = 1, behavior } = autoscaler.spec ?? {};
    const current = scale.spec?.replicas ?? 0;
    if (current === 0 && min !== 0) {
      const message = 'scaling is disabled since the replica count of the target is zero';
      return {
        status: withCondition(status, ['ScalingActive', 'False', 'ScalingDisabled', message], now),
        ...{ replicas: 0, reason: '' },
      };
    }
    if (current > max) return { status, replicas: max, reason: 'Current number of replicas above Spec.MaxReplicas' };
    if (current < min) return { status, replicas: min, reason: 'Current number of replicas below Spec.MinReplicas' };
    let wanted: Wanted;
    try {
      wanted = await wantedReplicas(autoscaler, scale);
    } catch (error) {
      if (!(error instanceof MetricFailure)) throw error;
      events.event(autoscaler, 'Warning', error.reason, error.message);
      const message = `the HPA was unable to compute the replica count: ${error.message}`;
      events.event(autoscaler, 'Warning', 'FailedComputeMetricsReplicas', error.summary);
      const inactive = withCondition(status, ['ScalingActive', 'False', error.reason, message], now);
      return { status: inactive, replicas: undefined, reason: '' };
    }
    const pace = paced(current, wanted.replicas, { min, max, behavior }, historyOf(key), clock.now());
    const active = `the HPA was able to successfully calculate a replica count from ${wanted.metric}`;
    let next = withCondition(status, ['ScalingActive', 'True', 'ValidMetricFound', active], now);
    next = withCondition(next, ABLE[pace.stabilized ?? 'ready'], now);
    next = withCondition(next, ['ScalingLimited', pace.limited ? 'True' : 'False', pace.reason, pace.message], now);
    const reason = wanted.replicas > current ? `${wanted.metric} above target` : 'All metrics below target';
    return { status: { ...next, currentMetrics: wanted.statuses }, replicas: pace.replicas, reason };
  }

  /** Returns the greatest number that a metric asks for. Metrics that cannot be read only keep the number from shrinking. */
  async function wantedReplicas(autoscaler: Autoscaler, scale: autoscalingV1.Scale): Promise<Wanted> {
    const selector = scale.status?.selector ?? '';
    if (selector === '') throw new MetricFailure('InvalidSelector', 'selector is required');
    const { namespace = '' } = autoscaler.metadata;
    const matcher = LabelSelector.parse(selector);
    const own = pods.find('byNamespace', namespace).filter(({ metadata }) => matcher.matches(metadata.labels));
    const current = scale.spec?.replicas ?? 0;
    let best: Wanted | undefined;
    const failures: MetricFailure[] = [];
    const statuses: autoscalingV2.MetricStatus[] = [];
    for (const metric of autoscaler.spec?.metrics ?? []) {
      try {
        const found = await recommended(metric, namespace, selector, own, current);
        statuses.push(found.status);
        if (best === undefined || found.replicas > best.replicas) best = { ...found, statuses };
      } catch (error) {
        failures.push(failureOf(metric, error, { namespace, dialect }));
      }
    }
    const [failure] = failures;
    if (failure !== undefined && (best === undefined || best.replicas < current)) {
      const all = (autoscaler.spec?.metrics ?? []).length;
      const summary = `invalid metrics (${failures.length} invalid out of ${all}), first error is: ${failure.summary}`;
      throw new MetricFailure(failure.reason, failure.message, summary);
    }
    return best ?? { replicas: current, metric: '', statuses };
  }

  async function recommended(
    metric: autoscalingV2.MetricSpec,
    namespace: string,
    selector: string,
    own: readonly ObjectOf<typeof Pod>[],
    current: number,
  ) {
    const source = metric.resource ?? metric.containerResource;
    if (source === undefined) throw new Error('the server has the metrics of resources only');
    const resource: MeasuredResource = { name: source.name, container: metric.containerResource?.container };
    const measurement = await measuredUsage(kinds, dialect, namespace, selector, resource);
    const target = targetOf(source.target, own, resource);
    const how = { isCpu: source.name === 'cpu', nowMs: clock.now() };
    const { replicas, utilization, average } = recommendedReplicas(current, own, measurement, target, how);
    const value = {
      averageValue: formatQuantity({ unscaled: BigInt(average), scale: -3, format: 'DecimalSI' }),
      ...(utilization === undefined ? {} : { averageUtilization: utilization }),
    };
    const { name, container } = resource;
    const status: autoscalingV2.MetricStatus =
      container === undefined
        ? { type: metric.type, resource: { name, current: value } }
        : { type: metric.type, containerResource: { name, container, current: value } };
    const of = container === undefined ? '' : 'container ';
    const what = utilization === undefined ? '' : ' utilization (percentage of request)';
    return { replicas, metric: `${name} ${of}resource${what}`, status };
  }

  function historyOf(key: string): ScalingHistory {
    const known = histories.get(key) ?? new ScalingHistory();
    histories.set(key, known);
    return known;
  }

  return { name: 'horizontalpodautoscaling', informers: () => [autoscalers, pods], queues: [queue] };
}

const ABLE = {
  ready: ['AbleToScale', 'True', 'ReadyForNewScale', 'recommended size matches current size'],
  up: [
    ...(['AbleToScale', 'True', 'ScaleUpStabilized'] as const),
    'recent recommendations were lower than current one, applying the lowest recent recommendation',
  ],
  down: [
    ...(['AbleToScale', 'True', 'ScaleDownStabilized'] as const),
    'recent recommendations were higher than current one, applying the highest recent recommendation',
  ],
} as const;
