import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin, Mutated } from '../registry/admission.js';
import type { ResourceDefinition } from '../registry/definition.js';

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

/** What a plugin does in a phase of an operation. */
interface Stage {
  /** The kinds that it concerns; undefined for all. */
  readonly kinds: ReadonlySet<ResourceDefinition> | undefined;
  readonly run: (attributes: AdmissionAttributes, round: Round) => Mutated | Promise<Mutated>;
  readonly done: StageDone;
}

/** All stages of a phase of an operation. The end of one is the begin of the next, so that the clock is read once. */
class Step {
  readonly #stages: readonly Stage[];
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
    let running: void | Promise<void>;
    try {
      running = this.#runTwice(attributes, beganMs);
    } catch (error) {
      this.#done(true, beganMs, this.#now());
      throw error;
    }
    if (running === undefined) return this.#done(false, beganMs, this.#now());
    return running.then(
      () => this.#done(false, beganMs, this.#now()),
      (error: unknown) => {
        this.#done(true, beganMs, this.#now());
        throw error;
      },
    );
  }

  #runTwice(attributes: AdmissionAttributes, beganMs: number): void | Promise<void> {
    const mutated = this.#runFrom(0, attributes, 0, beganMs);
    if (mutated === undefined) return undefined;
    if (mutated instanceof Promise)
      return mutated.then(async (again) => {
        if (again === 'again') await this.#runFrom(0, attributes, 1, this.#now());
      });
    const second = this.#runFrom(0, attributes, 1, this.#now());
    return second instanceof Promise ? second.then(() => undefined) : undefined;
  }

  /**
   * Runs the stages from an index. Returns `again` when one of them did.
   *
   * @param before what the stages before the index returned
   */
  #runFrom(
    from: number,
    attributes: AdmissionAttributes,
    round: Round,
    since: number,
    before?: 'again',
  ): Mutated | Promise<Mutated> {
    const kind = kindOf(attributes);
    let beganMs = since;
    let mutated = before;
    for (let index = from; index < this.#stages.length; index += 1) {
      const stage = this.#stages[index] as Stage;
      if (stage.kinds?.has(kind) === false) continue;
      const result = this.#call(stage, attributes, round, beganMs);
      if (result instanceof Promise)
        return this.#awaited(stage, result, beganMs).then((again) =>
          this.#runFrom(index + 1, attributes, round, this.#ended(stage, beganMs), again ?? mutated),
        );
      mutated = result ?? mutated;
      beganMs = this.#ended(stage, beganMs);
    }
    return mutated;
  }

  #call(stage: Stage, attributes: AdmissionAttributes, round: Round, beganMs: number): Mutated | Promise<Mutated> {
    try {
      return stage.run(attributes, round);
    } catch (error) {
      stage.done(true, beganMs, this.#now());
      throw error;
    }
  }

  async #awaited(stage: Stage, running: Promise<Mutated>, beganMs: number): Promise<Mutated> {
    try {
      return await running;
    } catch (error) {
      stage.done(true, beganMs, this.#now());
      throw error;
    }
  }

  /** Notes that a stage has admitted the request. Returns the time, at which the next one begins. */
  #ended(stage: Stage, beganMs: number): number {
    const endedMs = this.#now();
    stage.done(false, beganMs, endedMs);
    return endedMs;
  }
}

/** Returns the kind of the object: the resource's, unless the subresource has another. */
function kindOf({ info, subresource }: AdmissionAttributes): ResourceDefinition {
  const served = subresource === '' ? undefined : info.subresources.get(subresource);
  return served !== undefined && 'responseKind' in served ? served.responseKind.definition : info.definition;
}
