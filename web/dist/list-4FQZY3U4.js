import{a,b,c}from"./chunk-MOQBXIA6.js";import"./chunk-K56ORE3K.js";import"./chunk-IN5JTQXI.js";import"./chunk-RRBXWQHQ.js";import"./chunk-U3GKYPL2.js";c();export{a as GuardianTabs,b as default};
