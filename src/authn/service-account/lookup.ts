/**
 * Where service accounts, and what their tokens are bound to, are looked up. The shapes are those of stored objects, as far as
 * they are read here, so that a look-up can hand out what it has.
 *
 * @module
 */

/** An object that a token may be bound to. */
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
  /** Secrets that were made for it by the server; a token in one of them is one of old. */
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

/** What is found: undefined for what is not there. A look-up that fails throws or rejects. */
export type LookedUp<Type> = Type | undefined | Promise<Type | undefined>;

/** Finds objects in the present. Answers at once where it can: a token then needs no waiting. */
export interface ServiceAccountLookup {
  serviceAccount(namespace: string, name: string): LookedUp<ServiceAccountObject>;
  secret(namespace: string, name: string): LookedUp<SecretObject>;
  pod(namespace: string, name: string): LookedUp<PodObject>;
  node(name: string): LookedUp<BoundObject>;
}
