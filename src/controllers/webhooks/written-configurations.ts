/**
 * The configurations of webhooks that are served, written from their definitions.
 *
 * @module
 */
import type { InProcessWebhook, WebhookDefinition } from '../../admission/index.js';
import type { Client, CreateOrUpdateResult } from '../../client/index.js';
import { ApiError, definedOnly, durationMs, encodeBase64Text } from '../../foundation/index.js';
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '../../kinds/index.js';
import type { ObjectOf } from '../../registry/index.js';
import type { PatchedConfigurations } from './authority-bundles.js';
import { admissionPath } from './webhook-target.js';

/** Where API servers reach a server of webhooks. */
export type WebhookReach =
  | {
      readonly service: {
        readonly namespace: string;
        readonly name: string;
        /** Port of the Service. Default 443. */
        readonly port?: number | undefined;
      };
    }
  | {
      /** An https URL; the paths of the webhooks follow it. */
      readonly url: string;
    };

/** Parameters of {@link writeConfigurations}. */
export interface WrittenConfigurations {
  readonly client: Client;
  /** Name of the configurations. */
  readonly name: string;
  readonly webhooks: readonly InProcessWebhook[];
  readonly reach: WebhookReach;
  /** Authority of the certificate that is served, in PEM. */
  readonly authority: string;
}

type Mutating = ObjectOf<typeof MutatingWebhookConfiguration>;
type Hook = NonNullable<Mutating['webhooks']>[number];
type ClientConfig = Hook['clientConfig'];

const NOT_FOUND = 404;

/**
 * Writes one configuration for each phase that has webhooks. That of a phase without webhooks is deleted if all of its
 * webhooks are called here.
 *
 * @returns what was written
 * @throws ApiError
 */
export async function writeConfigurations(written: WrittenConfigurations): Promise<PatchedConfigurations> {
  const { client, name } = written;
  const names = async (phase: Phase, verbs: ConfigurationVerbs): Promise<readonly string[]> => {
    const definitions = written.webhooks
      .map(({ definition }) => definition)
      .filter((definition) => (definition.phase ?? 'Validating') === phase);
    if (definitions.length === 0) {
      await removeUnused(verbs, written);
      return [];
    }
    await verbs.createOrUpdate({ metadata: { name }, webhooks: [] }, (current) => {
      const bundles = new Map(current.webhooks?.map((hook) => [hook.name, hook.clientConfig.caBundle]));
      const [any] = bundles.values();
      current.webhooks = definitions.map((definition) =>
        hookOf(definition, written, bundles.get(definition.name) ?? any),
      );
    });
    return [name];
  };
  return {
    mutating: await names('Mutating', client.resource(MutatingWebhookConfiguration)),
    validating: await names('Validating', client.resource(ValidatingWebhookConfiguration)),
  };
}

type Phase = NonNullable<WebhookDefinition['phase']>;

/** The verbs of both kinds of configurations. */
interface ConfigurationVerbs {
  get(name: string): Promise<Configuration>;
  createOrUpdate(
    object: { metadata: { name: string }; webhooks: [] },
    change: (current: Configuration) => void,
  ): Promise<CreateOrUpdateResult<unknown>>;
  delete(name: string): Promise<unknown>;
}

interface Configuration {
  webhooks?: Hook[] | undefined;
}

/** Returns a webhook of a configuration. @param caBundle the stored one, which other replicas maintain as well */
function hookOf(definition: WebhookDefinition, { reach, authority }: WrittenConfigurations, caBundle?: string): Hook {
  const { name, rules, timeout, sideEffects = 'None', phase, reinvocationPolicy } = definition;
  const { failurePolicy, matchPolicy, namespaceSelector, objectSelector, matchConditions } = definition;
  return {
    name,
    rules: [...rules],
    clientConfig: { ...addressOf(reach, admissionPath(name)), caBundle: caBundle ?? encodeBase64Text(authority) },
    sideEffects,
    admissionReviewVersions: ['v1'],
    ...definedOnly({
      ...{ failurePolicy, matchPolicy, namespaceSelector, objectSelector },
      matchConditions: matchConditions && [...matchConditions],
      timeoutSeconds: timeout === undefined ? undefined : Math.ceil(durationMs(timeout) / 1000),
      reinvocationPolicy: phase === 'Mutating' ? reinvocationPolicy : undefined,
    }),
  };
}

function addressOf(reach: WebhookReach, path: string): ClientConfig {
  if ('url' in reach) return { url: baseOf(reach.url) + path };
  return { service: { ...definedOnly(reach.service), path } };
}

const baseOf = (url: string): string => url.replace(/\/+$/, '');

async function removeUnused(verbs: ConfigurationVerbs, { name, reach }: WrittenConfigurations): Promise<void> {
  try {
    const { webhooks = [] } = await verbs.get(name);
    if (webhooks.every(({ clientConfig }) => isAt(reach, clientConfig))) await verbs.delete(name);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== NOT_FOUND) throw error;
  }
}

function isAt(reach: WebhookReach, { url = '', service }: ClientConfig): boolean {
  if ('url' in reach) return url.startsWith(`${baseOf(reach.url)}/`);
  return service?.namespace === reach.service.namespace && service.name === reach.service.name;
}
