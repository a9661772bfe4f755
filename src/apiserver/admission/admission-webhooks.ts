/**
 * The admission webhooks of one server: those of the stored configurations, and functions of the process. Their code is
 * loaded with the first of them.
 *
 * @module
 */
import type {
  AdmissionWebhooks,
  DecideAccess,
  InProcessWebhook,
  StoredWebhook,
  WebhookPhase,
} from '../../admission/index.js';
import { importWebhook } from '../../admission/late.js';
import {
  fetchHttpClient,
  isArray,
  type CompiledArtefacts,
  type DecodeAnswer,
  type FindCredentials,
  type FindService,
  type HttpClient,
  type JsonValue,
  type Logger,
  type StoredObject,
} from '../../foundation/index.js';
import { MutatingWebhookConfiguration, Namespace, ValidatingWebhookConfiguration } from '../../kinds/index.js';
import {
  FollowedConfiguration,
  type AdmissionPlugin,
  type Catalogue,
  type ConfiguringKind,
  type FeatureSwitches,
  type ResourceDefinition,
} from '../../registry/index.js';
import { webhookMeter, type Metrics } from '../../server/index.js';

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
    const { AdmissionWebhooks } = await importWebhook();
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
    present: (name, { webhooks: stored }: StoredObject & { readonly webhooks?: JsonValue | undefined }) => {
      const webhooks = isArray(stored) ? stored : [];
      // Validation has checked the members.
      return (part) => part[phase].setConfiguration(name, webhooks as readonly unknown[] as readonly StoredWebhook[]);
    },
    absent: (name) => (part) => part[phase].deleteConfiguration(name),
  };
}
