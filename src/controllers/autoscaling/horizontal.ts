import {
  equalJson,
  formatQuantity,
  formatTime,
  inSlices,
  messageOf,
  SharedWork,
  shownText,
  type Steps,
  type Work,
} from '../../foundation/index.js';
import { HorizontalPodAutoscaler, Pod, type autoscalingV1, type autoscalingV2 } from '../../kinds/index.js';
import { LabelSelector } from '../../machinery/index.js';
import type { ObjectOf } from '../../registry/index.js';
import type { RecordingHost } from '../runtime/controller-host.js';
import type { Controller } from '../runtime/controller.js';
import type { EventSink } from '../runtime/event-recorder.js';
import { isNotFound, retryingConflicts } from '../runtime/failures.js';
import { byNamespace, objectKey } from '../runtime/informer-cache.js';
import type { Run } from '../runtime/keyed-runner.js';
import { reconciler } from '../runtime/reconciler.js';
import type { ServedKind, ServedKinds } from '../runtime/served-kinds.js';
import { shownScale } from '../runtime/shown-scale.js';
import { watched } from '../runtime/watch.js';
import type { WorkResult } from '../runtime/work-queue.js';
import type { PodObject } from '../workloads/shared/kinds.js';
import { withCondition, type AutoscalerStatus } from './conditions.js';
import { failureOf, MetricFailure } from './metric-failure.js';
import { paced, ScalingHistory } from './pace.js';
import { MeasuredPods, targetOf, type MeasuredResource } from './pod-usage.js';
import { recommendedReplicas } from './replica-count.js';

/** Options of {@link horizontalAutoscaler}. */
export interface HorizontalAutoscalerOptions extends RecordingHost {
  readonly kinds: ServedKinds;
}

type Autoscaler = ObjectOf<typeof HorizontalPodAutoscaler>;

/** Time between two looks at a target, in milliseconds, as in Kubernetes. */
const SYNC_MS = 15_000;
/** The longest time that a behaviour may look back, in milliseconds. */
const LONGEST_MS = 3_600_000;

/** Units of work to look at a metric, besides its pods. */
const METRIC_UNITS = 64;

/** The number of pods that all metrics together ask for. */
interface Wanted {
  readonly replicas: number;
  /** The metric that asks for the most. */
  readonly metric: string;
  readonly statuses: autoscalingV2.MetricStatus[];
}

/** The decision about an autoscaler. */
interface Decision {
  readonly status: AutoscalerStatus;
  /** Undefined when nothing can be decided. */
  readonly replicas: number | undefined;
  readonly reason: string;
}

/** The pods of a target. */
interface Scaled {
  readonly pods: readonly PodObject[];
  /** The number of pods that the target should have. */
  readonly current: number;
  readonly measured: MeasuredPods;
}

/** The object that an autoscaler scales. */
interface Target {
  readonly kind: ServedKind;
  readonly scale: autoscalingV1.Scale;
}

/**
 * Scales targets by what their pods use of processor time and memory.
 *
 * @see release 1.31, `pkg/controller/podautoscaler`
 */
export function horizontalAutoscaler(options: HorizontalAutoscalerOptions): Controller {
  const { informers } = options;
  const pods = informers.of(Pod);
  pods.addIndex('byNamespace', byNamespace);
  const autoscalers = new Autoscalers(options);
  return reconciler(options, {
    name: 'horizontalpodautoscaling',
    queue: 'horizontalpodautoscaler',
    kind: HorizontalPodAutoscaler,
    runsOn: (autoscaler, old) => old === undefined || !equalJson({ ...autoscaler.spec }, { ...old.spec }),
    watches: [watched(Pod)],
    deleted: (autoscaler) => autoscalers.forget(objectKey(autoscaler)),
    reconcile: (autoscaler, run) => autoscalers.reconcile(autoscaler, run),
  });
}

class Autoscalers {
  readonly #host: HorizontalAutoscalerOptions;
  readonly #events: EventSink;
  readonly #histories = new Map<string, ScalingHistory>();

  constructor(host: HorizontalAutoscalerOptions) {
    this.#host = host;
    this.#events = host.recorder.of('horizontal-pod-autoscaler');
  }

  forget(key: string): void {
    this.#histories.delete(key);
  }

  async reconcile(autoscaler: Autoscaler, { key, requeueAfter }: Run): Promise<WorkResult> {
    requeueAfter(SYNC_MS);
    const status = await this.#scale(key, autoscaler);
    if (equalJson({ ...status }, { ...autoscaler.status })) return;
    return retryingConflicts(this.#writeStatus({ ...autoscaler, status }), isNotFound);
  }

  async #writeStatus(autoscaler: Autoscaler): Promise<void> {
    await this.#host.client.resource(HorizontalPodAutoscaler).updateStatus(autoscaler);
  }

  /** Scales the target of an autoscaler, if it needs that. Returns the status. */
  async #scale(key: string, autoscaler: Autoscaler): Promise<AutoscalerStatus> {
    const now = formatTime(this.#host.clock.now());
    const before: AutoscalerStatus = { desiredReplicas: 0, ...autoscaler.status };
    let target: Target;
    try {
      target = await this.#targetOf(autoscaler);
    } catch (error) {
      const what = "the HPA controller was unable to get the target's current scale";
      return this.#failed(autoscaler, before, ['FailedGetScale', what], error, now);
    }
    const { scale } = target;
    const able = withCondition(
      before,
      ['AbleToScale', 'True', 'SucceededGetScale', "the HPA controller was able to get the target's current scale"],
      now,
    );
    const decided = await this.#decide(key, autoscaler, scale, able, now);
    const status = { ...decided.status, currentReplicas: scale.status?.replicas ?? 0 };
    if (decided.replicas === undefined) return status;
    const counted = { ...status, desiredReplicas: decided.replicas };
    if (decided.replicas === (scale.spec?.replicas ?? 0)) return counted;
    try {
      await this.#resize(autoscaler, target, decided.replicas);
    } catch (error) {
      const what = 'the HPA controller was unable to update the target scale';
      return this.#failed(autoscaler, before, ['FailedUpdateScale', what], error, now);
    }
    this.#historyOf(key).changed(decided.replicas - (scale.spec?.replicas ?? 0), this.#host.clock.now(), LONGEST_MS);
    const text = `New size: ${decided.replicas}; reason: ${decided.reason}`;
    this.#events.event(autoscaler, 'Normal', 'SuccessfulRescale', text);
    const message = `the HPA controller was able to update the target scale to ${decided.replicas}`;
    return withCondition({ ...counted, lastScaleTime: now }, ['AbleToScale', 'True', 'SucceededRescale', message], now);
  }

  /** Reports that the target cannot be scaled. Returns the status. */
  #failed(
    autoscaler: Autoscaler,
    before: AutoscalerStatus,
    [reason, what]: readonly [reason: string, what: string],
    error: unknown,
    now: string,
  ): AutoscalerStatus {
    const message = shownText(messageOf(error));
    this.#events.event(autoscaler, 'Warning', reason, message);
    return withCondition(before, ['AbleToScale', 'False', reason, `${what}: ${message}`], now);
  }

  async #resize({ metadata, spec }: Autoscaler, { kind }: Target, replicas: number): Promise<void> {
    const { name = '' } = spec?.scaleTargetRef ?? {};
    await kind.client
      .namespace(metadata.namespace ?? '')
      .patch(name, { spec: { replicas } } as never, { type: 'merge', subresource: 'scale' });
  }

  async #targetOf({ metadata: { namespace = '' }, spec }: Autoscaler): Promise<Target> {
    const { apiVersion = '', kind: kindName = '', name = '' } = spec?.scaleTargetRef ?? {};
    const kind = this.#host.kinds.find(apiVersion, kindName);
    if (kind === undefined)
      throw new Error(`no matches for kind "${kindName}" in group "${apiVersion.split('/')[0] ?? ''}"`);
    const shown = kind.definition.subresources?.['scale'];
    if (shown === undefined) throw new Error(`${kind.resource} has no subresource scale`);
    const object = await kind.client.namespace(namespace).get(name);
    const scale = await shownScale(kind, object, new SharedWork());
    if (scale === undefined) throw new Error(`${kind.resource} has no subresource scale`);
    return { kind, scale };
  }

  async #decide(
    key: string,
    autoscaler: Autoscaler,
    scale: autoscalingV1.Scale,
    status: AutoscalerStatus,
    now: string,
  ): Promise<Decision> {
    const { minReplicas: min = 1, maxReplicas: max = 1, behavior } = autoscaler.spec ?? {};
    const current = scale.spec?.replicas ?? 0;
    const history = this.#historyOf(key);
    history.begin(current, this.#host.clock.now());
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
      wanted = await this.#wantedReplicas(autoscaler, scale);
    } catch (error) {
      if (!(error instanceof MetricFailure)) throw error;
      this.#events.event(autoscaler, 'Warning', error.reason, error.message);
      const message = `the HPA was unable to compute the replica count: ${error.message}`;
      this.#events.event(autoscaler, 'Warning', 'FailedComputeMetricsReplicas', error.summary);
      const inactive = withCondition(status, ['ScalingActive', 'False', error.reason, message], now);
      return { status: inactive, replicas: undefined, reason: '' };
    }
    const pace = paced(current, wanted.replicas, { min, max, behavior }, history, this.#host.clock.now());
    const active = `the HPA was able to successfully calculate a replica count from ${wanted.metric}`;
    let next = withCondition(status, ['ScalingActive', 'True', 'ValidMetricFound', active], now);
    next = withCondition(next, ABLE[pace.stabilized ?? 'ready'], now);
    next = withCondition(next, ['ScalingLimited', pace.limited ? 'True' : 'False', pace.reason, pace.message], now);
    const reason = wanted.replicas > current ? `${wanted.metric} above target` : 'All metrics below target';
    return { status: { ...next, currentMetrics: wanted.statuses }, replicas: pace.replicas, reason };
  }

  /** Returns the greatest number that a metric asks for. Metrics that cannot be read only keep the number from shrinking. */
  async #wantedReplicas(autoscaler: Autoscaler, scale: autoscalingV1.Scale): Promise<Wanted> {
    const selector = scale.status?.selector ?? '';
    if (selector === '') throw new MetricFailure('InvalidSelector', 'selector is required');
    const { kinds, dialect } = this.#host;
    const { namespace = '' } = autoscaler.metadata;
    const work = new SharedWork();
    const pods = await inSlices(work, this.#podsOf(namespace, LabelSelector.parse(selector), work));
    const current = scale.spec?.replicas ?? 0;
    const scaled = { pods, current, measured: new MeasuredPods(kinds, dialect, namespace, selector) };
    let best: Wanted | undefined;
    let failure: MetricFailure | undefined;
    let failures = 0;
    const statuses: autoscalingV2.MetricStatus[] = [];
    const metrics = autoscaler.spec?.metrics ?? [];
    for (const metric of metrics) {
      if (work.spend(METRIC_UNITS)) await work.next();
      try {
        const found = await this.#recommended(metric, scaled, work);
        statuses.push(found.status);
        if (best === undefined || found.replicas > best.replicas) best = { ...found, statuses };
      } catch (error) {
        failures += 1;
        failure ??= failureOf(metric, error, { namespace, dialect });
      }
    }
    if (failure !== undefined && (best === undefined || best.replicas < current)) {
      const summary = `invalid metrics (${failures} invalid out of ${metrics.length}), first error is: ${failure.summary}`;
      throw new MetricFailure(failure.reason, failure.message, summary);
    }
    return best ?? { replicas: current, metric: '', statuses };
  }

  *#podsOf(namespace: string, selector: LabelSelector, work: Work): Steps<PodObject[]> {
    const pods: PodObject[] = [];
    for (const pod of this.#host.informers.of(Pod).find('byNamespace', namespace)) {
      if (work.spend(1 + selector.requirements.length)) yield;
      if (selector.matches(pod.metadata.labels)) pods.push(pod);
    }
    return pods;
  }

  async #recommended(metric: autoscalingV2.MetricSpec, { pods, current, measured }: Scaled, work: Work) {
    const source = metric.resource ?? metric.containerResource;
    if (source === undefined) throw new Error('the server has the metrics of resources only');
    const resource: MeasuredResource = { name: source.name, container: metric.containerResource?.container };
    const measurement = await measured.usage(resource, work);
    const target = await inSlices(work, targetOf(source.target, pods, resource, work));
    const context = { isCpu: source.name === 'cpu', nowMs: this.#host.clock.now(), work };
    const { replicas, utilization, average } = await inSlices(
      work,
      recommendedReplicas(current, pods, measurement, target, context),
    );
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

  #historyOf(key: string): ScalingHistory {
    const known = this.#histories.get(key) ?? new ScalingHistory();
    this.#histories.set(key, known);
    return known;
  }
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
