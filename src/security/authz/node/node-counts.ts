/**
 * Counts per node how often an object is needed. Most objects are needed on one node, so the first node needs no map: a
 * large cluster has hundreds of thousands of these counters.
 */
export class NodeCounts {
  #node = '';
  #count = 0;
  #others: Map<string, number> | undefined;

  /**
   * Adds one to the count of a node.
   *
   * @returns whether the count was 0 before
   */
  add(node: string): boolean {
    if (this.#count > 0 && this.#node === node) {
      this.#count += 1;
      return false;
    }
    const count = this.#others?.get(node) ?? 0;
    if (count === 0 && this.#count === 0) {
      this.#node = node;
      this.#count = 1;
    } else {
      this.#others ??= new Map();
      this.#others.set(node, count + 1);
    }
    return count === 0;
  }

  /**
   * Subtracts one from the count of a node. The count must not be 0.
   *
   * @returns whether the count is 0 now
   */
  remove(node: string): boolean {
    if (this.#node === node && this.#count > 0) {
      this.#count -= 1;
      return this.#count === 0;
    }
    const count = this.#others?.get(node) ?? 0;
    if (count > 1) this.#others?.set(node, count - 1);
    else this.#others?.delete(node);
    if (this.#others?.size === 0) this.#others = undefined;
    return count === 1;
  }

  /** True when the count of the node is not 0. */
  has(node: string): boolean {
    return (this.#count > 0 && this.#node === node) || this.#others?.has(node) === true;
  }

  /** Returns the nodes with a count above 0. */
  nodes(): string[] {
    return [...(this.#count > 0 ? [this.#node] : []), ...(this.#others?.keys() ?? [])];
  }
}
