// The map of the office and of /live.
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
  frame?: string // the picture is framed anew when this changes
  onBus?: (id: string) => void
  onPlace?: (at: Place) => void // a click on free ground
  onMove?: (id: string, at: Place) => void // a stop was dragged
}

export function BusMap(props: MapProps) { return <Schematic {...props} /> }
