import{a,b,c}from"./chunk-7AXJRIHN.js";import"./chunk-G3XQ4OXO.js";import"./chunk-HBSNYSP3.js";import"./chunk-J2UTMAGN.js";import"./chunk-4SB6D7PQ.js";c();export{a as GuardianTabs,b as default};
