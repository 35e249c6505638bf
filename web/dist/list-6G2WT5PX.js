import{a,b,c}from"./chunk-FQZNJVX2.js";import"./chunk-ZDYVN7GO.js";import"./chunk-QTS2PC4Q.js";import"./chunk-BKNF2RP6.js";import"./chunk-WRJ6R7OA.js";c();export{a as GuardianTabs,b as default};
