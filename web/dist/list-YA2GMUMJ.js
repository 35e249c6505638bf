import{a,b,c}from"./chunk-72VUDVOS.js";import"./chunk-4HNT5CYE.js";import"./chunk-NH7QUF4A.js";import"./chunk-W37AMWEK.js";import"./chunk-NWDS5W7U.js";c();export{a as GuardianTabs,b as default};
