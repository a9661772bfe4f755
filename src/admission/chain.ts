import type {
  AdmissionAttributes,
  AdmissionOperation,
  AdmissionPlugin,
  Mutated,
  ResourceDefinition,
} from '../registry/index.js';

type Phase = 'admit' | 'validate';

type Round = 0 | 1;

/** Measures a stage of a plugin. Called once for each operation and phase, at the first request. */
export type MeasureStage = (plugin: string, operation: AdmissionOperation, phase: Phase) => StageDone;

/** Called at the end of what is measured, with the times of its begin and its end in milliseconds of the clock. */
export type StageDone = (rejected: boolean, beganMs: number, endedMs: number) => void;

/** Measures the stages of a chain. */
export interface StageMeter {
  readonly now: () => number;
  readonly measure: MeasureStage;
  /** Measures all plugins of a phase together. Called once for each operation and phase. */
  readonly measureStep: (operation: AdmissionOperation, phase: Phase) => StageDone;
}

const UNMEASURED: StageMeter = {
  now: () => 0,
  measure: () => () => undefined,
  measureStep: () => () => undefined,
};

/**
 * The ordered plugins of a server. They are sorted by phase and operation when an operation first comes: many servers
 * of tests only read.
 */
export class AdmissionChain {
  readonly #plugins: readonly AdmissionPlugin[];
  readonly #meter: StageMeter;
  readonly #steps: Readonly<Record<Phase, Map<AdmissionOperation, Step>>> = {
    admit: new Map(),
    validate: new Map(),
  };

  /** @param meter measures each stage; default none does */
  constructor(plugins: readonly AdmissionPlugin[], meter: StageMeter = UNMEASURED) {
    this.#plugins = plugins;
    this.#meter = meter;
  }

  /** Names of the plugins, in order. */
  get names(): readonly string[] {
    return this.#plugins.map((plugin) => plugin.name);
  }

  /** Runs the mutating stages, twice when one of them asks for it. Returns undefined when all were synchronous. */
  mutate(attributes: AdmissionAttributes): void | Promise<void> {
    return this.#stepOf('admit', attributes.operation).run(attributes);
  }

  /** Runs the validating stages. Returns undefined when all were synchronous. */
  validate(attributes: AdmissionAttributes): void | Promise<void> {
    return this.#stepOf('validate', attributes.operation).run(attributes);
  }

  #stepOf(phase: Phase, operation: AdmissionOperation): Step {
    const known = this.#steps[phase].get(operation);
    if (known !== undefined) return known;
    const { now, measureStep } = this.#meter;
    const step = new Step(this.#stagesOf(phase, operation), now, measureStep(operation, phase));
    this.#steps[phase].set(operation, step);
    return step;
  }

  #stagesOf(phase: Phase, operation: AdmissionOperation): readonly Stage[] {
    const stages: Stage[] = [];
    for (const plugin of this.#plugins) {
      if (!plugin.operations.includes(operation)) continue;
      const run = phase === 'admit' ? plugin.mutate?.bind(plugin) : plugin.validate?.bind(plugin);
      if (run === undefined) continue;
      const kinds = plugin.kinds === undefined ? undefined : new Set(plugin.kinds);
      stages.push({ kinds, run, done: this.#meter.measure(plugin.name, operation, phase) });
    }
    return stages;
  }
}

/** The work of a plugin in a phase of an operation. */
interface Stage {
  /** The kinds that it concerns; undefined for all. */
  readonly kinds: ReadonlySet<ResourceDefinition> | undefined;
  readonly run: (attributes: AdmissionAttributes, round: Round) => Mutated | Promise<Mutated>;
  readonly done: StageDone;
}

/** Where a run of the stages has got to. */
interface Run {
  readonly attributes: AdmissionAttributes;
  /** The stages that concern its kind. */
  readonly stages: readonly Stage[];
  /** Begin of the run, in milliseconds of the clock. */
  readonly beganMs: number;
  /** Index of the next stage. */
  next: number;
  round: Round;
  /** Whether a stage of the first round asked for another one. */
  again: boolean;
  /** End of the last stage, at which the next one begins. */
  sinceMs: number;
}

/** All stages of a phase of an operation. The end of one is the begin of the next, so that the clock is read once. */
class Step {
  readonly #stages: readonly Stage[];
  /** The stages that concern a kind: few of the plugins concern all kinds. */
  readonly #byKind = new WeakMap<ResourceDefinition, readonly Stage[]>();
  readonly #now: () => number;
  readonly #done: StageDone;

  constructor(stages: readonly Stage[], now: () => number, done: StageDone) {
    this.#stages = stages;
    this.#now = now;
    this.#done = done;
  }

  /** Runs the stages, twice when one of them asks for it. Returns undefined when all were synchronous. */
  run(attributes: AdmissionAttributes): void | Promise<void> {
    const beganMs = this.#now();
    const run: Run = {
      attributes,
      stages: this.#stagesFor(kindOf(attributes)),
      beganMs,
      next: 0,
      round: 0,
      again: false,
      sinceMs: beganMs,
    };
    let pending: Promise<Mutated> | undefined;
    try {
      pending = this.#advance(run);
    } catch (error) {
      this.#rejected(run);
      throw error;
    }
    return pending === undefined ? this.#done(false, beganMs, run.sinceMs) : this.#finish(run, pending);
  }

  #stagesFor(kind: ResourceDefinition): readonly Stage[] {
    let stages = this.#byKind.get(kind);
    if (stages === undefined) {
      stages = this.#stages.filter(({ kinds }) => kinds?.has(kind) !== false);
      this.#byKind.set(kind, stages);
    }
    return stages;
  }

  /** Runs stages up to one that has to wait, and returns its promise; undefined after the last stage. */
  #advance(run: Run): Promise<Mutated> | undefined {
    for (;;) {
      while (run.next < run.stages.length) {
        const stage = run.stages[run.next] as Stage;
        run.next += 1;
        const result = stage.run(run.attributes, run.round);
        if (result instanceof Promise) return result;
        this.#admitted(stage, run, result);
      }
      if (!run.again || run.round === 1) return undefined;
      run.round = 1;
      run.next = 0;
    }
  }

  /** Awaits the stage that a run has got to, and runs those after it. */
  async #finish(run: Run, first: Promise<Mutated>): Promise<void> {
    try {
      for (let pending: Promise<Mutated> | undefined = first; pending !== undefined; pending = this.#advance(run))
        this.#admitted(lastOf(run), run, await pending);
    } catch (error) {
      this.#rejected(run);
      throw error;
    }
    this.#done(false, run.beganMs, run.sinceMs);
  }

  /** Notes that a stage has admitted the request. */
  #admitted(stage: Stage, run: Run, result: Mutated): void {
    const endedMs = this.#now();
    stage.done(false, run.sinceMs, endedMs);
    run.sinceMs = endedMs;
    if (result === 'again') run.again = true;
  }

  /** Notes that the last stage has rejected the request. */
  #rejected(run: Run): void {
    const endedMs = this.#now();
    lastOf(run).done(true, run.sinceMs, endedMs);
    this.#done(true, run.beganMs, endedMs);
  }
}

/** Returns the last stage that a run has begun. */
const lastOf = ({ stages, next }: Run): Stage => stages[next - 1] as Stage;

/** Returns the kind of the object: the resource's, unless the subresource has another. */
function kindOf({ info, subresource }: AdmissionAttributes): ResourceDefinition {
  const served = subresource === '' ? undefined : info.subresources.get(subresource);
  return served !== undefined && 'responseKind' in served ? served.responseKind.definition : info.definition;
}
