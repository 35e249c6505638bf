import{a,b,c}from"./chunk-NUMSYT3S.js";import"./chunk-ATJWNUA6.js";import"./chunk-JH34EF2E.js";import"./chunk-573B4PAO.js";import"./chunk-NMUK7DXM.js";c();export{a as CalendarTabs,b as default};
