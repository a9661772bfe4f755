/**
 * The `caBundle`s of configurations and definitions, kept to the authorities of a webhook server.
 *
 * @module
 */
import type { Client } from '../../client/index.js';
import { ApiError, decodeBase64Text, encodeBase64Text, encodePem, type Clock } from '../../foundation/index.js';
import {
  CustomResourceDefinition,
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '../../kinds/index.js';
import type { JsonPatchOperation } from '../../machinery/index.js';
import { parseCertificateBundle, readableCertificates, type BundledCertificate } from '../../security/index.js';

/** The objects whose `caBundle`s are kept, by their names. */
export interface PatchedConfigurations {
  /** MutatingWebhookConfigurations. */
  readonly mutating?: readonly string[] | undefined;
  /** ValidatingWebhookConfigurations. */
  readonly validating?: readonly string[] | undefined;
  /** CustomResourceDefinitions whose objects are converted. */
  readonly definitions?: readonly string[] | undefined;
}

/** The parts of {@link AuthorityBundles}. */
export interface AuthorityBundlesParts {
  readonly client: Client;
  readonly configurations: PatchedConfigurations;
  /** Whether a webhook is served at a path: the other webhooks of a configuration are left alone. */
  readonly serves: (path: string) => boolean;
  /** Whether other processes with authorities of their own serve the same webhooks. */
  readonly isShared: boolean;
  /** Whether other processes may still serve a certificate of an authority that this one no longer uses. */
  readonly keepsPrevious: boolean;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** The address of a webhook, as configurations and definitions have it. */
interface Address {
  readonly caBundle?: string | undefined;
  readonly url?: string | undefined;
  readonly service?: { readonly path?: string | undefined } | undefined;
}

/** A place of a bundle in an object: what must still be there when it is patched, and the address. */
interface Place {
  readonly test: JsonPatchOperation;
  readonly path: string;
  readonly address: Address;
}

/** One object with its verbs. */
interface Patched {
  readonly name: string;
  /** Returns the places of the current object. @throws ApiError */
  places(): Promise<readonly Place[]>;
  patch(operations: readonly JsonPatchOperation[]): Promise<unknown>;
  /** Yields when the object appears or changes. */
  changes(signal: AbortSignal): AsyncIterable<unknown>;
}

/** How often a patch is tried whose object others change meanwhile. */
const ATTEMPTS = 5;
/** Maximum number of authorities in a bundle: replicas that start again and again leave theirs until they expire. */
const MAX_AUTHORITIES = 32;

/** Keeps the bundles of some objects. */
export class AuthorityBundles {
  readonly #parts: AuthorityBundlesParts;
  readonly #objects: readonly Patched[];
  #current: readonly string[] = [];
  /** Authorities that were served, in PEM: a bundle keeps none of them. */
  readonly #retired = new Set<string>();

  constructor(parts: AuthorityBundlesParts) {
    this.#parts = parts;
    this.#objects = patchedObjects(parts);
  }

  /**
   * Sets the authorities that clients must trust, and patches all objects. An object that does not exist is patched when it
   * appears.
   *
   * @param authorities certificates in PEM, the newest first
   * @returns whether all objects that exist trust them; why one does not is reported
   */
  async trust(authorities: readonly string[]): Promise<boolean> {
    if (!this.#parts.keepsPrevious)
      for (const pem of this.#current) if (!authorities.includes(pem)) this.#retired.add(pem);
    for (const pem of authorities) this.#retired.delete(pem);
    this.#current = authorities;
    const done = await Promise.all(this.#objects.map((object) => this.#reported(object)));
    return done.every(Boolean);
  }

  /** Patches each object whenever others have changed it, until the signal aborts. */
  async follow(signal: AbortSignal): Promise<void> {
    await Promise.all(
      this.#objects.map(async (object) => {
        try {
          for await (const _change of object.changes(signal)) await this.#reported(object);
        } catch (error) {
          if (!signal.aborted) this.#parts.onError(error);
        }
      }),
    );
  }

  async #reported(object: Patched): Promise<boolean> {
    try {
      await this.#patch(object);
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.code === NOT_FOUND) return true;
      this.#parts.onError(new Error(`the caBundle of ${object.name} could not be patched`, { cause: error }));
      return false;
    }
  }

  /** @throws ApiError */
  async #patch(object: Patched): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const operations = (await object.places()).flatMap((place) => this.#operations(place));
      if (operations.length === 0) return;
      try {
        await object.patch(operations);
        return;
      } catch (error) {
        // Someone has changed the object since it was read.
        const isStale = error instanceof ApiError && (error.code === CONFLICT || error.code === UNPROCESSABLE);
        if (!isStale || attempt >= ATTEMPTS) throw error;
      }
    }
  }

  #operations({ test, path, address }: Place): JsonPatchOperation[] {
    if (!this.#parts.serves(pathOf(address))) return [];
    // One that cannot be read is replaced.
    const found = readableCertificates(decodeBase64Text(address.caBundle ?? '') ?? '');
    const wanted = this.#wanted(found);
    if (found.length === wanted.length && wanted.every((pem) => found.some((one) => one.pem === pem))) return [];
    return [test, { op: 'add', path, value: encodeBase64Text(wanted.join('')) }];
  }

  /** Returns the authorities that a bundle should have: ours, and those of other processes that have not expired. */
  #wanted(found: readonly BundledCertificate[]): readonly string[] {
    const { isShared, clock } = this.#parts;
    const ours = [...new Set(this.#current.flatMap(certificatesOf))];
    if (!isShared) return ours;
    const retired = new Set([...this.#retired].flatMap(certificatesOf));
    const others = found
      .filter(({ pem, notAfter }) => !ours.includes(pem) && !retired.has(pem) && notAfter > clock.now())
      .sort((a, b) => b.notAfter - a.notAfter)
      .map(({ pem }) => pem);
    return [...ours, ...new Set(others)].slice(0, Math.max(MAX_AUTHORITIES, ours.length));
  }
}

const NOT_FOUND = 404;
const CONFLICT = 409;
const UNPROCESSABLE = 422;

/** Returns the certificates of a text, each in PEM. @throws X509Error */
const certificatesOf = (pem: string): string[] =>
  parseCertificateBundle(pem).map(({ raw }) => encodePem('CERTIFICATE', raw));

/** Returns the path at which a webhook is called. */
function pathOf({ url, service }: Address): string {
  if (url === undefined) return service?.path ?? '/';
  return URL.canParse(url) ? new URL(url).pathname : '';
}

function patchedObjects({ client, configurations }: AuthorityBundlesParts): Patched[] {
  const { mutating = [], validating = [], definitions = [] } = configurations;
  return [
    ...mutating.map((name) => configuration(client.resource(MutatingWebhookConfiguration), name)),
    ...validating.map((name) => configuration(client.resource(ValidatingWebhookConfiguration), name)),
    ...definitions.map((name) => definitionOf(client, name)),
  ];
}

/** The verbs that a configuration needs. */
interface ConfigurationVerbs {
  get(name: string): Promise<{
    readonly webhooks?: readonly { readonly name: string; readonly clientConfig: Address }[] | undefined;
  }>;
  patch(name: string, patch: readonly JsonPatchOperation[]): Promise<unknown>;
  follow(parameters: FollowedByName): AsyncIterable<{ readonly type: string }>;
}

/** How one object is followed. A program need not go on for it. */
interface FollowedByName {
  readonly fieldSelector: string;
  readonly signal: AbortSignal;
  readonly keepAlive: false;
}

function configuration(resource: ConfigurationVerbs, name: string): Patched {
  return {
    name,
    places: async () =>
      ((await resource.get(name)).webhooks ?? []).map(({ name: hook, clientConfig }, index) => ({
        test: { op: 'test', path: `/webhooks/${index}/name`, value: hook },
        path: `/webhooks/${index}/clientConfig/caBundle`,
        address: clientConfig,
      })),
    patch: (operations) => resource.patch(name, operations),
    changes: (signal) => changesOf(resource, name, signal),
  };
}

function definitionOf(client: Client, name: string): Patched {
  const resource = client.resource(CustomResourceDefinition);
  return {
    name,
    async places() {
      const { conversion } = (await resource.get(name)).spec;
      const address = conversion?.webhook?.clientConfig;
      if (conversion === undefined || address === undefined) return [];
      const test = { op: 'test', path: '/spec/conversion/strategy', value: conversion.strategy } as const;
      return [{ test, path: '/spec/conversion/webhook/clientConfig/caBundle', address }];
    },
    patch: (operations) => resource.patch(name, operations),
    changes: (signal) => changesOf(resource, name, signal),
  };
}

async function* changesOf(
  resource: Pick<ConfigurationVerbs, 'follow'>,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<unknown, void, undefined> {
  const fieldSelector = `metadata.name=${name}`;
  for await (const event of resource.follow({ fieldSelector, signal, keepAlive: false }))
    if (event.type === 'ADDED' || event.type === 'MODIFIED') yield event;
}
