/**
 * The parts of a test server that the control API needs. The optional parts may be missing: the API answers their
 * commands with 501.
 *
 * @module
 */
import type { KubeConfigOptions } from '../../client/index.js';
import type { JsonObject } from '../../foundation/index.js';
import type { ServerTarget } from '../../transport/index.js';

/** A test server, as the control API uses it. */
export interface ControlledServer {
  /** Handles the requests to the API; the same object before and after a reset. */
  readonly target: ServerTarget;
  /** Returns the kubeconfig of the owner. */
  kubeConfig(options: KubeConfigOptions): string;
  /** Bearer token of the owner. */
  readonly token: string;
  /** Whether time runs with the host's clock. */
  readonly time: 'manual' | 'real';
  /** Returns milliseconds since the epoch on the server's clock. */
  now(): number;
  /** Advances the time, in milliseconds, and resolves when the resulting work is done. */
  advance(ms: number): Promise<void>;
  /** Resolves when no controller has work left. */
  settled(): Promise<void>;
  /** Returns an independent server with the same state. */
  readonly fork?: (() => Promise<ControlledServer>) | undefined;
  /** Returns the server to the state it had when it started, or was forked. */
  readonly reset?: (() => Promise<void>) | undefined;
  /** Creates the objects of manifests in YAML or JSON, and returns them as stored. */
  readonly load?: ((manifests: string) => Promise<readonly object[]>) | undefined;
  readonly faults?: ControlledFaults | undefined;
  readonly simulation?: ControlledSimulation | undefined;
  /** Returns the logged requests that match a filter, oldest first. @throws TypeError for an invalid filter */
  readonly requests?: ((filter: RequestFilter) => readonly object[]) | undefined;
  close(): Promise<void>;
}

/** Selects requests of the log. Absent members select everything. */
export interface RequestFilter {
  readonly verb?: string | undefined;
  readonly resource?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly user?: string | undefined;
  /** Status code of the answer. */
  readonly status?: number | undefined;
}

/** The fault rules of a test server. */
export interface ControlledFaults {
  /** Adds a rule. @throws TypeError that names the invalid member */
  add(rule: JsonObject): ControlledRule;
  /** Removes all rules. */
  clear(): void;
}

/** The simulated nodes of a test server, and their pods. */
export interface ControlledSimulation {
  /** Adds a rule. @throws TypeError that names the invalid member */
  add(rule: JsonObject): ControlledRule;
}

/** A rule that is in force until it is removed. */
export interface ControlledRule {
  /** Number of requests, watches, events or objects that the rule has hit. */
  readonly hits: number;
  /** The rule as it was given. */
  readonly rule: JsonObject;
  remove(): void;
}
