/**
 * The admission webhooks of one server: those of the stored configurations, and functions of the process. Their code is
 * loaded with the first of them.
 *
 * @module
 */
import type { AdmissionWebhooks, StoredWebhook } from '../../admission/webhook/index.js';
import type { WebhookPhase } from '../../admission/webhook/hook.js';
import type { InProcessWebhook } from '../../admission/webhook/webhook-definition.js';
import type { DecideAccess } from '../../admission/policy/index.js';
import { isArray, type JsonValue } from '../../foundation/json/json.js';
import type { CompiledArtefacts } from '../../foundation/work/compiled-artefacts.js';
import type { Logger } from '../../foundation/reporting/logger.js';
import { fetchHttpClient } from '../../foundation/outbound/fetch-http-client.js';
import type { StoredObject } from '../../foundation/objects/object.js';
import type { HttpClient } from '../../foundation/outbound/http-client.js';
import type { DecodeAnswer } from '../../foundation/outbound/decode-answer.js';
import type { FindCredentials, FindService } from '../../foundation/outbound/webhook-client.js';
import type { AdmissionPlugin } from '../../registry/verbs/admission.js';
import type { Catalogue } from '../../registry/definition/catalogue.js';
import type { FeatureSwitches } from '../../registry/store/context.js';
import type { ResourceDefinition } from '../../registry/definition/definition.js';
import { MutatingWebhookConfiguration, Namespace, ValidatingWebhookConfiguration } from '../../kinds/builtin/index.js';
import { webhookMeter } from '../../server/metrics/admission-metrics.js';
import type { Metrics } from '../../server/metrics/metrics.js';
import { FollowedConfiguration, type ConfiguringKind } from '../../registry/watch/followed-configuration.js';

/** Dependencies of {@link ServedWebhooks}. */
export interface ServedWebhooksParts {
  /** Where what is compiled is counted. */
  readonly compiled: CompiledArtefacts;
  readonly catalogue: Catalogue;
  readonly featureGates: FeatureSwitches;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly decideAccess: DecideAccess;
  readonly functions: readonly InProcessWebhook[];
  /** Default the platform's `fetch`, which has no certificate authorities of its own. */
  readonly http?: HttpClient | undefined;
  readonly decode: DecodeAnswer;
  readonly findService: FindService;
  /** Credentials for the webhooks of each phase. */
  readonly credentials: Readonly<Record<WebhookPhase, FindCredentials | undefined>>;
}

/** The webhooks of one server, as admission plugins. */
export class ServedWebhooks {
  readonly #parts: ServedWebhooksParts;
  readonly #configuration: FollowedConfiguration<AdmissionWebhooks>;

  constructor(parts: ServedWebhooksParts) {
    const { catalogue, logger, functions } = parts;
    this.#parts = parts;
    this.#configuration = new FollowedConfiguration({
      ...{ catalogue, logger },
      subject: 'admission webhooks',
      kinds: [
        configurations(MutatingWebhookConfiguration, 'mutating'),
        configurations(ValidatingWebhookConfiguration, 'validating'),
      ],
      isNeeded: functions.length > 0,
      load: () => this.#load(),
    });
  }

  /**
   * Reads the stored configurations, and starts to follow them.
   *
   * @throws StorageError when the storage cannot be read
   */
  start(): Promise<void> {
    return this.#configuration.start();
  }

  /** Stops following. */
  stop(): void {
    this.#configuration.stop();
  }

  /** The plugin of mutating webhooks. */
  readonly mutating: AdmissionPlugin = {
    name: 'MutatingAdmissionWebhook',
    operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
    mutate: (attributes, round) => this.#configuration.use((webhooks) => webhooks.mutate(attributes, round)),
  };

  /** The plugin of validating webhooks. */
  readonly validating: AdmissionPlugin = {
    name: 'ValidatingAdmissionWebhook',
    operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
    validate: (attributes) => this.#configuration.use((webhooks) => webhooks.validate(attributes)),
  };

  async #load(): Promise<AdmissionWebhooks> {
    const { catalogue, featureGates, logger, metrics, functions, ...calls } = this.#parts;
    const { clock, dialect } = catalogue.environment;
    const { AdmissionWebhooks } = await import('../../admission/webhook/index.js');
    return new AdmissionWebhooks(
      functions.map(({ definition }) => definition),
      {
        ...{ catalogue, featureGates, logger, clock, dialect },
        ...{ ...calls, http: calls.http ?? fetchHttpClient() },
        meter: webhookMeter(metrics, clock),
        findNamespace: (name) => catalogue.find(Namespace, '', name),
      },
    );
  }
}

function configurations(
  definition: ResourceDefinition,
  phase: 'mutating' | 'validating',
): ConfiguringKind<AdmissionWebhooks> {
  return {
    definition,
    needsPart: true,
    present: (name, { webhooks: stored }: StoredObject & { readonly webhooks?: JsonValue }) => {
      const webhooks = isArray(stored) ? stored : [];
      // Validation has checked the members.
      return (part) => part[phase].setConfiguration(name, webhooks as readonly unknown[] as readonly StoredWebhook[]);
    },
    absent: (name) => (part) => part[phase].deleteConfiguration(name),
  };
}
