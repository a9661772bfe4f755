import type { LevelVersion } from './policy.js';

/** A request to PodSecurity, as metrics describe it. */
export interface PodSecurityRequest {
  readonly operation: string;
  /** `controller` is every kind with a template of pods. */
  readonly resource: 'pod' | 'namespace' | 'controller';
  readonly subresource: string;
}

/** The evaluation of a policy for a request. */
export interface PodSecurityEvaluation {
  readonly policy: LevelVersion;
  readonly mode: 'enforce' | 'audit' | 'warn';
  readonly denied: boolean;
}

/** Measures PodSecurity. */
export interface PodSecurityMeter {
  evaluated(evaluation: PodSecurityEvaluation, request: PodSecurityRequest): void;
  exempted(request: PodSecurityRequest): void;
  /** @param isFatal whether the request was refused for it */
  failed(isFatal: boolean, request: PodSecurityRequest): void;
}
