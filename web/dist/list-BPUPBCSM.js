import{a,b,c}from"./chunk-J4DZRHQ4.js";import"./chunk-YS6VXCCS.js";import"./chunk-VJHL7HOL.js";import"./chunk-PBBO7CRS.js";import"./chunk-EVZR4T6Z.js";c();export{a as GuardianTabs,b as default};
