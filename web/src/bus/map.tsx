// The map: the schematic, or with the server's --map-tiles a real one, whose code is loaded only then.
import type { ComponentType } from "preact"
import { useEffect, useState } from "preact/hooks"
import { config } from "../shell/config"
import { Schematic } from "./schematic"

export interface Place { lat: number; lng: number }
export interface Line { key: string; points: Place[]; look: "ahead" | "driven" | "quiet" | "track" }
export interface Stop extends Place { id: string; name: string; look?: "reached" | "coming" | "quiet" | undefined; no?: number }
export interface Marker extends Place { id: string; letters: string; name: string; stale?: boolean; chosen?: boolean }

export interface MapProps {
  label: string
  lines: Line[]
  stops: Stop[]
  buses?: Marker[]
  margin?: { start: number; end: number } // space that panels cover
  centre?: Place | undefined // shown while there is nothing else, such as the school
  frame?: string // the picture is framed anew when this changes
  onBus?: (id: string) => void
  onPlace?: (at: Place) => void // a click on free ground
  onMove?: (id: string, at: Place) => void // a stop was dragged
}

export function BusMap(props: MapProps) {
  const [Tiles, set] = useState<ComponentType<MapProps>>()
  useEffect(() => { if (config.map) import("./tiles").then((m) => set(() => m.default), () => {}) }, []) // without it the schematic stays
  return Tiles ? <Tiles {...props} /> : <Schematic {...props} />
}
