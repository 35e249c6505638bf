import{a,b,c}from"./chunk-EXZKYCPV.js";import"./chunk-LEGS6CT3.js";import"./chunk-PUVENEHK.js";import"./chunk-M3RP2JZD.js";import"./chunk-HCVERMU2.js";c();export{a as CalendarTabs,b as default};
