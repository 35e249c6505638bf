import{a,b,c}from"./chunk-DQA6GALJ.js";import"./chunk-VJHL7HOL.js";import"./chunk-2SIDGW6P.js";import"./chunk-PBBO7CRS.js";import"./chunk-EVZR4T6Z.js";c();export{a as CalendarTabs,b as default};
