import{a,b,c}from"./chunk-4ENFC4HB.js";import"./chunk-XEH5A7AJ.js";import"./chunk-ISRHB5GG.js";import"./chunk-46IXHASG.js";c();export{a as ClassTabs,b as default};
