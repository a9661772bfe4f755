/**
 * Lookup of service accounts and bound objects. The shapes are the parts of stored objects that are read here, so a
 * lookup can return stored objects.
 *
 * @module
 */

/** An object that a token can be bound to. */
export interface BoundObject {
  readonly metadata: {
    readonly uid?: string | undefined;
    /** RFC 3339. */
    readonly deletionTimestamp?: string | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
  };
}

/** A ServiceAccount. */
export interface ServiceAccountObject extends BoundObject {
  /** Secrets that the server created for it; their tokens are legacy tokens. */
  readonly secrets?: readonly { readonly name?: string | undefined }[] | undefined;
}

/** A Secret. */
export interface SecretObject extends BoundObject {
  /** Base64. */
  readonly data?: Readonly<Record<string, string>> | undefined;
}

/** A Pod. */
export interface PodObject extends BoundObject {
  readonly spec?:
    { readonly serviceAccountName?: string | undefined; readonly nodeName?: string | undefined } | undefined;
}

/** The found object, or undefined when it does not exist. A failed lookup throws or rejects. */
export type LookedUp<Type> = Type | undefined | Promise<Type | undefined>;

/** Looks up current objects, synchronously where possible. */
export interface ServiceAccountLookup {
  serviceAccount(namespace: string, name: string): LookedUp<ServiceAccountObject>;
  secret(namespace: string, name: string): LookedUp<SecretObject>;
  pod(namespace: string, name: string): LookedUp<PodObject>;
  node(name: string): LookedUp<BoundObject>;
}
